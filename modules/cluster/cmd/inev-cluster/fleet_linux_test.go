package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// fleet is a cluster of servers and its workers, each a process of its own on an address of
// the loopback that nobody else has.
type fleet struct {
	t           *testing.T
	folder      string
	credentials string
	extra       []string // flags that lead to the servers
	within      []string // words before the command of a runner
	urls        []string
	servers     []*process
	workers     []*process
	nc          *nats.Conn
}

// process is a program that can be killed, paused and started again.
type process struct {
	t    *testing.T
	name string
	args []string
	dir  string
	cmd  *exec.Cmd
	log  *lockedLog
}

// lockedLog holds what a process has written to its standard error.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(p.args[0], p.args[1:]...)
	p.cmd.Dir, p.cmd.Stderr = p.dir, p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) signal(s os.Signal) { _ = p.cmd.Process.Signal(s) }

// kill ends a process without a word, and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// wait returns the error with which a process ends.
func (p *process) wait() error {
	defer p.alarm().Stop()
	return p.cmd.Wait()
}

// patience is how long a test waits for the next sign of life of a process.
const patience = 5 * time.Minute

// alarm lets the test fail, and ends the process with the stacks of its goroutines in its log,
// unless it is stopped or reset within patience.
func (p *process) alarm() *time.Timer {
	return time.AfterFunc(patience, func() {
		p.signal(syscall.SIGQUIT)
		p.t.Errorf("%s has been silent for %v: %s", p.name, patience, p.log)
		time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	})
}

// restart kills a process and starts it again.
func (p *process) restart() {
	p.t.Helper()
	p.kill()
	p.start()
}

// fleets is how many there have been, so that each has addresses of its own.
var fleets atomic.Int32

// newFleet starts so many servers, and so many workers for them.
func newFleet(t *testing.T, servers, workers int, flags ...string) *fleet {
	t.Helper()
	f := &fleet{t: t, folder: t.TempDir()}
	f.credentials = filepath.Join(f.folder, "credentials")
	f.write("credentials", "inev:secret\n")
	hosts := f.hosts(servers)
	var routes []string
	for _, host := range hosts {
		routes = append(routes, fmt.Sprintf("nats://%s:6222", host))
		f.urls = append(f.urls, fmt.Sprintf("nats://%s:4222", host))
	}
	for i, host := range hosts {
		name := fmt.Sprintf("s%d", i+1)
		config := fmt.Sprintf("server_name: %s\nlisten: %s:4222\nlog_file: %q\njetstream { store_dir: %q }\nauthorization { user: inev, password: secret }\n",
			name, host, filepath.Join(f.folder, name+".log"), filepath.Join(f.folder, name))
		if servers > 1 {
			config += fmt.Sprintf("cluster { name: inev, listen: %s:6222, routes: [%s] }\n", host, strings.Join(routes, ", "))
		}
		f.servers = append(f.servers, f.process(name, "jetstream", f.write(name+".conf", config)))
	}
	for i := range workers {
		f.workers = append(f.workers, f.worker(fmt.Sprintf("w%d", i+1), flags...))
	}
	var err error
	f.nc, err = nats.Connect(strings.Join(f.urls, ","), nats.UserInfo("inev", "secret"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.nc.Close)
	return f
}

// hosts returns addresses of the loopback that nobody else has.
func (f *fleet) hosts(n int) (hosts []string) {
	net := fmt.Sprintf("127.%d.%d.", 1+os.Getpid()%250, (os.Getpid()/250)%200+int(fleets.Add(1)))
	for i := range n {
		hosts = append(hosts, fmt.Sprintf("%s%d", net, i+1))
	}
	return hosts
}

// worker starts a worker.
func (f *fleet) worker(name string, flags ...string) *process {
	f.t.Helper()
	return f.process(name, slices.Concat([]string{"inev-cluster", "work", "--name", name, "--jobs", "1", "--cache", filepath.Join(f.folder, name)}, f.flags(), flags)...)
}

// process starts a program that is killed when the test ends.
func (f *fleet) process(name string, args ...string) *process {
	f.t.Helper()
	p := &process{t: f.t, name: name, args: args, dir: f.folder, log: &lockedLog{}}
	p.start()
	f.t.Cleanup(func() {
		p.kill()
		if f.t.Failed() {
			log := p.log.String()
			f.t.Logf("%s: %s", name, log[max(0, len(log)-2000):])
		}
	})
	return p
}

func (f *fleet) write(name, text string) (path string) {
	f.t.Helper()
	path = filepath.Join(f.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// flags are those that lead to the servers.
func (f *fleet) flags() []string {
	return append([]string{"--nats", strings.Join(f.urls, ","), "--credentials", f.credentials}, f.extra...)
}

// leader returns the server that leads the stream of jobs, which all are waiting for where
// there is none.
func (f *fleet) leader(ctx context.Context) *process {
	for ctx.Err() == nil {
		name := f.leaderOf(ctx, "INEV_JOBS")
		for _, p := range f.servers {
			if p.name == name {
				return p
			}
		}
	}
	f.t.Fatal(ctx.Err())
	return nil
}

// leaderOf returns the name of the server that leads a stream, "" if there is none.
func (f *fleet) leaderOf(ctx context.Context, stream string) string {
	js, err := jetstream.New(f.nc)
	if err != nil {
		f.t.Fatal(err)
	}
	limited, stop := context.WithTimeout(ctx, natsPatience)
	defer stop()
	s, err := js.Stream(limited, stream)
	if err != nil || s.CachedInfo().Cluster == nil {
		return ""
	}
	return s.CachedInfo().Cluster.Leader
}

// runner is a run of a batch whose progress can be followed.
type runner struct {
	*process
	lines chan string
	ended chan struct{}
}

// run starts the runner of a batch in a folder.
func (f *fleet) run(folder string, args ...string) *runner {
	f.t.Helper()
	args = append([]string{"inev-cluster", "run", "m.yaml", "-o", "results", "--fail-on", "none", "--attempts", "1000", "--ack-wait", "2s"}, append(f.flags(), args...)...)
	args = slices.Concat(f.within, args)
	p := &process{t: f.t, name: "runner", args: args, dir: folder, log: &lockedLog{}}
	p.cmd = exec.Command(args[0], args[1:]...)
	p.cmd.Dir = folder
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := p.cmd.StderrPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		f.t.Fatal(err)
	}
	r := &runner{p, make(chan string), make(chan struct{})}
	go func() {
		defer close(r.ended)
		for s := bufio.NewScanner(io.TeeReader(stderr, p.log)); s.Scan(); {
			if strings.HasPrefix(s.Text(), "[") {
				r.lines <- s.Text()
			}
		}
		close(r.lines)
	}()
	f.t.Cleanup(func() { _ = p.cmd.Process.Kill(); r.drain() })
	return r
}

// drain waits until a runner tells no more.
func (r *runner) drain() {
	alarm := r.alarm()
	defer alarm.Stop()
	for range r.lines {
		alarm.Reset(patience)
	}
	<-r.ended
	_ = r.cmd.Wait()
}

// after waits until so many more jobs are finished; false if the run has ended.
func (r *runner) after(jobs int) bool {
	alarm := r.alarm()
	defer alarm.Stop()
	for range jobs {
		if _, more := <-r.lines; !more {
			return false
		}
		alarm.Reset(patience)
	}
	return true
}
