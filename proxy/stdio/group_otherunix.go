//go:build unix && !linux

package stdio

import (
	"os/exec"
	"syscall"
)

// dieWithParent: there is no such thing here. A child that reads its input notices.
func dieWithParent(*syscall.SysProcAttr) {}

// reap waits for the child and ends what it has left behind.
func (g processGroup) reap(cmd *exec.Cmd) {
	_ = cmd.Wait() // how it ended is in its state
	g.kill(cmd)
}
