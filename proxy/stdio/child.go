package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Command is how to run a server.
type Command struct {
	Args   []string // the program and its arguments; at least the program
	Env    []string // its environment, as os.Environ gives it
	Stderr io.Writer
	Log    *slog.Logger
}

// Child is a running server. It has a process group of its own, so that what it starts ends with it.
type Child struct {
	Stdout io.Reader
	Stdin  io.WriteCloser

	cmd    *exec.Cmd
	stdout *os.File
	group  processGroup
	log    *slog.Logger
	exited chan struct{}
	stop   sync.Once
}

// Patience is how long a child is waited for while it is asked to end, ever less politely.
type Patience struct {
	Close     time.Duration // after its input was closed
	Terminate time.Duration // after SIGTERM, before SIGKILL
}

// Start runs the command.
func (c Command) Start() (*Child, error) {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec,noctx // the person who starts the gateway names it; it ends by Stop
	cmd.Env = c.Env
	cmd.Stderr = c.Stderr
	// What the child leaves behind may hold its standard error open.
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Args[0], err)
	}
	// Not StdoutPipe: what the child has written is read to its end, also after Wait.
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Args[0], err)
	}
	cmd.Stdout = out
	child := &Child{Stdout: stdout, Stdin: stdin, cmd: cmd, stdout: stdout, log: c.Log, exited: make(chan struct{})}
	child.group.prepare(cmd)
	started := make(chan error)
	go child.run(started)
	err = <-started
	_ = out.Close()
	if err != nil {
		_, _ = stdin.Close(), stdout.Close()
		return nil, fmt.Errorf("start %s: %w", c.Args[0], plainly(err))
	}
	return child, nil
}

// plainly is why a program could not be started, without its name.
func plainly(err error) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// run is the child's life. It keeps its thread: on Linux the child is killed when the thread that started it ends, and
// that must not be before the process does.
func (c *Child) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	if err == nil {
		c.group.started(c.cmd)
	}
	started <- err
	if err != nil {
		return
	}
	c.group.reap(c.cmd)
	if rest, ok := c.cmd.Stderr.(interface{ Flush() }); ok {
		rest.Flush()
	}
	// What has left the group may hold the pipe open. What was written before is read at once.
	_ = c.stdout.SetReadDeadline(time.Now().Add(time.Second))
	close(c.exited)
}

// Exited is closed when the process and its group have ended.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// ExitCode is the exit code of a child that has ended; as a shell reports it, 128 and the signal's number, where a
// signal ended it.
func (c *Child) ExitCode() int {
	state := c.cmd.ProcessState
	if code := state.ExitCode(); code >= 0 {
		return code
	}
	return 128 + signalOf(state)
}

// Stop ends the child: its input is closed, then it is asked by SIGTERM, then killed, with everything in its group. It
// returns when the child has ended. When ctx is done, every wait is over.
func (c *Child) Stop(ctx context.Context, p Patience) {
	c.stop.Do(func() {
		_ = c.Stdin.Close()
		if c.waits(ctx, p.Close) {
			return
		}
		c.log.Info("the server goes on after its input was closed", slog.String("next", "SIGTERM"))
		c.group.terminate(c.cmd)
		if c.waits(ctx, p.Terminate) {
			return
		}
		c.log.Warn("the server goes on after SIGTERM", slog.String("next", "SIGKILL"))
		c.group.kill(c.cmd)
	})
	<-c.exited
}

// waits reports whether the child ends within d.
func (c *Child) waits(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.exited:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// ChildEnvironment is environ without the variables whose names begin with prefix: what the gateway is configured with,
// secrets among it, is not the child's.
func ChildEnvironment(environ []string, prefix string) []string {
	var kept []string
	for _, v := range environ {
		if !strings.HasPrefix(v, prefix) {
			kept = append(kept, v)
		}
	}
	return kept
}
