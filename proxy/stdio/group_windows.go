package stdio

import (
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// processGroup is the child and what it starts: a job, which ends with the last handle to it, and so with the gateway.
type processGroup struct{ job windows.Handle }

func (g *processGroup) prepare(*exec.Cmd) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	g.job = job
}

func (g *processGroup) started(cmd *exec.Cmd) {
	if g.job == 0 {
		return
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	_ = windows.AssignProcessToJobObject(g.job, process)
}

// reap waits for the child and ends what it has left behind.
func (g *processGroup) reap(cmd *exec.Cmd) {
	_ = cmd.Wait() // how it ended is in its state
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		_ = windows.CloseHandle(g.job)
	}
}

// terminate: there is no polite way.
func (g *processGroup) terminate(cmd *exec.Cmd) { g.kill(cmd) }

func (g *processGroup) kill(cmd *exec.Cmd) {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	_ = cmd.Process.Kill()
}

func signalOf(*os.ProcessState) int { return 0 }
