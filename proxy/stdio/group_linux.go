package stdio

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent has the child killed when the gateway ends in a way that leaves no time for Stop.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// reap waits for the child and ends what it has left behind, while its process id, which is the group's name, is still
// taken.
func (g processGroup) reap(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	g.kill(cmd)
	_ = cmd.Wait() // how it ended is in its state
}
