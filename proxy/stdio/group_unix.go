//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"syscall"
)

// processGroup is the child and what it starts.
type processGroup struct{}

func (processGroup) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

func (processGroup) started(*exec.Cmd) {}

// terminate asks the group to end.
func (processGroup) terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the group. That nobody is left in it is no error.
func (processGroup) kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// signalOf is the number of the signal that ended a process.
func signalOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}
