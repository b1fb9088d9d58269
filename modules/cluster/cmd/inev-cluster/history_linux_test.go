package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// How long the history lasts, and the seed of its faults: INEV_CLUSTER_HISTORY=1h
// INEV_CLUSTER_SEED=7.
const (
	historyVariable = "INEV_CLUSTER_HISTORY"
	seedVariable    = "INEV_CLUSTER_SEED"
	shortHistory    = 10 * time.Second
)

// history is a fleet that is hit by one fault after the other while it does batches, in the
// manner of Jepsen. In the end of each batch, the folder has each job once, with what inev
// batch says of it.
type history struct {
	*fleet
	net     links
	fault   func() string // of this history, healed once it returns
	draw    *rand.Rand
	batch   string // the folder of the manifest
	runner  *runner
	told    map[string]int
	disks   []*smallDisk // of servers
	clocks  *clocks      // nil if they cannot be set
	forger  *nats.Conn
	faults  map[string]int
	another []*runner
}

// TestHistory: whatever happens to whom, every job has exactly one result in the end, and
// it is that of inev batch.
func TestHistory(t *testing.T) {
	length, seed := lengthAndSeed(t, historyVariable, shortHistory)
	h := newHistory(t, seed)
	t.Logf("seed %d: %d batches of %d jobs, faults %v", seed, h.happen(length), historyJobs, h.faults)
}

// happen lets batches be run for so long, at least one, and returns how many there were.
func (h *history) happen(length time.Duration) (batches int) {
	h.t.Helper()
	want := batchOf(h.t, h.batch)
	end := time.Now().Add(length)
	for more := true; more; more = time.Now().Before(end) && !h.t.Failed() {
		h.runBatch(end)
		sameContents(h.t, contents(h.t, filepath.Join(h.batch, "results")), want)
		batches++
	}
	return batches
}

// lengthAndSeed returns how long a history lasts, by a variable of the environment, and the seed
// of its faults.
func lengthAndSeed(t *testing.T, variable string, length time.Duration) (time.Duration, uint64) {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv(variable); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
	}
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
	}
	return length, seed
}

// historyJobs is how many jobs a batch has.
const historyJobs = 60

// newHistory starts three servers, of which each has a small disk of its own where that can
// be had, and four workers, which reach them by a network that can be cut.
func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	f := &fleet{t: t, folder: t.TempDir()}
	proxies := newNetwork(t)
	h := &history{fleet: f, net: proxies, draw: rand.New(rand.NewPCG(seed, 28)), faults: map[string]int{}}
	h.fault = h.anyFault
	h.batch = manifestOf(t, historyJobs)
	h.clocks = newClocks(t)
	supplied, err := os.ReadFile(filepath.Join("..", "..", "deploy", "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(supplied)
	roles := text[strings.Index(text, "accounts: {"):strings.Index(text, "\ntls {")]
	for _, role := range []string{"runner", "status", "worker-0", "worker-1", "worker-2", "worker-3"} {
		t.Setenv("INEV_"+strings.ToUpper(strings.ReplaceAll(role, "-", "_"))+"_PASSWORD", "secret-of-"+role)
		f.write(role+".creds", role+":secret-of-"+role+"\n")
	}
	f.credentials = filepath.Join(f.folder, "runner.creds")
	hosts := f.hosts(3)
	var routes []string
	for i, host := range hosts {
		at := host + ":7222"
		proxies.forward(t, at, "", fmt.Sprintf("s%d", i+1), host+":6222")
		routes = append(routes, "nats://"+at)
	}
	for i, host := range hosts {
		name := fmt.Sprintf("s%d", i+1)
		store := filepath.Join(f.folder, name)
		disk, start := newSmallDisk(t, store)
		h.disks = append(h.disks, disk)
		config := fmt.Sprintf("server_name: %s\nlisten: %s:4222\nlog_file: %q\njetstream { store_dir: %q, max_file_store: 1GB }\n%s\n"+
			"cluster { name: inev, listen: %s:6222, advertise: %s:7222, no_advertise: true, pool_size: -1, routes: [%s] }\n",
			name, host, filepath.Join(f.folder, name+".log"), store, roles, host, host, strings.Join(routes, ", "))
		f.servers = append(f.servers, h.skewed(name, append(start, "jetstream", f.write(name+".conf", config))...))
	}
	for i := range 3 {
		name := fmt.Sprintf("worker-%d", i)
		h.reach(proxies, name, hosts, 5000+i)
		f.credentials = filepath.Join(f.folder, name+".creds")
		f.workers = append(f.workers, h.skewed(name, append([]string{"inev-cluster", "work", "--name", name, "--jobs", "1", "--cache", filepath.Join(f.folder, name)}, f.flags()...)...))
	}
	f.credentials = filepath.Join(f.folder, "runner.creds")
	h.reach(proxies, "runner", hosts, 5010)
	var direct []string
	for _, host := range hosts {
		direct = append(direct, host+":4222")
	}
	if f.nc, err = nats.Connect(strings.Join(direct, ","), nats.UserInfo("runner", "secret-of-runner"), nats.CustomInboxPrefix("_INBOX_runner"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.nc.Close)
	if h.forger, err = nats.Connect(strings.Join(direct, ","), nats.UserInfo("worker-3", "secret-of-worker-3"), nats.CustomInboxPrefix("_INBOX_worker-3"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.forger.Close)
	return h
}

// reach lets a process reach the servers, at a port of its own.
func (h *history) reach(n *network, name string, hosts []string, port int) {
	h.urls = nil
	for i, host := range hosts {
		at := fmt.Sprintf("%s:%d", host, port)
		n.forward(h.t, at, name, fmt.Sprintf("s%d", i+1), host+":4222")
		h.urls = append(h.urls, "nats://"+at)
	}
}

// runBatch does one batch, with faults until the end of the history.
func (h *history) runBatch(end time.Time) {
	h.t.Helper()
	h.told = map[string]int{}
	h.runner = h.run(h.batch, "--force", "--name", "history", "--stall", "20s")
	for again := 0; ; {
		for time.Now().Before(end) && h.hold(time.Duration(200+h.draw.IntN(800))*time.Millisecond) {
			if what := h.fault(); what != "" {
				h.faults[what]++
			}
		}
		h.net.heal()
		h.runner.drain()
		h.endOthers()
		count(h.told, h.runner)
		code := h.runner.cmd.ProcessState.ExitCode()
		if code == 0 {
			break
		}
		// A runner that gives up has lost nothing. It does so where it has lost the name, or
		// no server can be reached for a minute.
		if again++; again > 100 {
			h.t.Fatalf("the runner ends again and again, with code %d: %s", code, h.runner.log)
		}
		h.runner = h.run(h.batch, "--resume", "--wait", "--name", "history", "--stall", "20s")
	}
	for job, times := range h.told {
		if times > 1 && !strings.HasPrefix(job, "error") {
			h.t.Errorf("told %d times: %s", times, job)
		}
	}
}

// hold lets the batch go on for some time; false if its runner has ended.
func (h *history) hold(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case _, more := <-h.runner.lines:
			if !more {
				return false
			}
		case <-timer.C:
			return true
		}
	}
}

// anyFault draws a fault, and heals it after some time; "" if it came to nothing.
func (h *history) anyFault() string {
	long := time.Duration(300+h.draw.IntN(4000)) * time.Millisecond
	worker, server := h.workers[h.draw.IntN(len(h.workers))], h.draw.IntN(len(h.servers))
	all := []func() string{
		func() string { worker.kill(); h.hold(long); worker.start(); return "a worker is killed" },
		func() string {
			h.servers[server].kill()
			h.hold(long)
			h.servers[server].start()
			return "a server is killed"
		},
		func() string {
			ctx, stop := context.WithTimeout(h.t.Context(), 20*time.Second)
			defer stop()
			if p := h.leading(ctx); p != nil {
				p.restart()
			}
			return "the leader is killed"
		},
		h.killRunner,
		func() string { h.pause(worker, long); return "a worker is paused" },
		func() string { h.pause(h.servers[server], long); return "a server is paused" },
		func() string { h.pause(h.runner.process, long); return "the runner is paused" },
		func() string { h.partition(server); h.hold(long); h.net.heal(); return "a partition" },
		h.duplicate,
		h.takeOver,
		h.forge,
		func() string { return h.fill(server, long) },
		func() string { return h.jump([]*process{worker, h.servers[server]}[h.draw.IntN(2)], long) },
	}
	return all[h.draw.IntN(len(all))]()
}

// leading returns the server that leads the jobs, nil if there is none.
func (h *history) leading(ctx context.Context) *process {
	leader := h.leaderOf(ctx, "INEV_JOBS")
	i := slices.IndexFunc(h.servers, func(p *process) bool { return p.name == leader })
	if i < 0 {
		return nil
	}
	return h.servers[i]
}

func (h *history) killRunner() string {
	_ = h.runner.cmd.Process.Kill()
	h.runner.drain()
	count(h.told, h.runner)
	h.runner = h.run(h.batch, "--resume", "--wait", "--name", "history", "--stall", "20s")
	return "the runner is killed"
}

func (h *history) pause(p *process, long time.Duration) {
	p.signal(syscall.SIGSTOP)
	h.hold(long)
	p.signal(syscall.SIGCONT)
}

// partition cuts a server off from all others, or one worker or the runner from some servers.
func (h *history) partition(server int) {
	name := h.servers[server].name
	switch h.draw.IntN(3) {
	case 0: // from the other servers
		for _, other := range h.servers {
			if other.name != name {
				h.net.cut(name, other.name)
			}
		}
	case 1: // from everybody
		for _, other := range slices.Concat(h.servers, h.workers, []*process{{name: "runner"}}) {
			if other.name != name {
				h.net.cut(name, other.name)
			}
		}
	default: // one of those who connect, from everybody
		for _, s := range h.servers {
			h.net.cut([]string{"worker-0", "worker-1", "worker-2", "runner"}[server], s.name)
		}
	}
}

// duplicate starts a second runner of the same name, which is refused.
func (h *history) duplicate() string {
	r := h.run(h.copied(), "--name", "history", "--quiet")
	h.another = append(h.another, r)
	return "a second runner"
}

// takeOver pauses the runner for so long that another one gets its name; then both live.
func (h *history) takeOver() string {
	if h.draw.IntN(3) > 0 {
		return "" // it takes long
	}
	h.runner.signal(syscall.SIGSTOP)
	r := h.run(h.copied(), "--name", "history", "--quiet")
	h.another = append(h.another, r)
	h.hold(25 * time.Second)
	h.runner.signal(syscall.SIGCONT)
	return "another runner takes the name"
}

// copied returns a new folder with the same manifest.
func (h *history) copied() string {
	folder := h.t.TempDir()
	text, err := os.ReadFile(filepath.Join(h.batch, "m.yaml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "m.yaml"), text, 0o644)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return folder
}

// endOthers ends the other runners. One that had the name and was not disturbed is done, or
// does no harm.
func (h *history) endOthers() {
	for _, r := range h.another {
		_ = r.cmd.Process.Kill()
		r.drain()
	}
	h.another = nil
}

// ackSubject is where a worker acknowledges a job that it holds.
const ackSubject = "$JS.ACK.INEV_JOBS.%s.1.%d.%d.0.0"

// forge lets somebody with the credentials of a worker do harm: results of jobs that it does
// not hold, results that are none of jobs that it holds, and acknowledgements of jobs that
// others hold, which servers take for done.
func (h *history) forge() string {
	limited, stop := context.WithTimeout(h.t.Context(), natsPatience)
	defer stop()
	token, err := h.tokenOf(limited, "history")
	if err != nil {
		return ""
	}
	consumer := fmt.Sprintf("history_%d_g1", token)
	for range 20 {
		id := fmt.Sprintf("%032x", h.draw.Uint64())
		_ = h.forger.Publish(fmt.Sprintf("inev.from.worker-3.result.history.%d.%s", token, id), []byte(`{"schema":"inev.cluster.result/3"}`))
		_ = h.forger.Publish(fmt.Sprintf("inev.from.worker-3.result.history.%d.%s", token+1, id), []byte(`{`))
		_ = h.forger.Publish(fmt.Sprintf(ackSubject, consumer, 1+h.draw.IntN(100), 1+h.draw.IntN(100)), []byte("+ACK"))
		_ = h.forger.Publish("inev.from.worker-3.notice.history.forger", []byte(`{"id":"`+id+`","error":"no"}`))
		_ = h.forger.Publish("inev.job.history.1.g1."+id, []byte("{}")) // is not allowed
	}
	// It takes a job, and gives another answer.
	job, err := h.forger.RequestWithContext(limited, "inev.api.CONSUMER.MSG.NEXT.INEV_JOBS."+consumer, []byte(`{"batch":1,"no_wait":true}`))
	if err == nil && strings.HasPrefix(job.Subject, "inev.job.") {
		parts := strings.Split(job.Subject, ".")
		_ = h.forger.Publish(fmt.Sprintf("inev.from.worker-3.result.history.%d.%s", token, parts[len(parts)-1]), []byte(`{"schema":"inev.cluster.result/3","worker":"forger","result":{"schema":"x","status":"satisfied","key":"another"}}`))
		_ = h.forger.Publish(job.Reply, []byte("+ACK"))
		h.faults["a worker lies about a job that it holds"]++
	}
	_ = h.forger.FlushWithContext(limited)
	return "a worker forges"
}

// TestForger: a worker that forges again and again leaves the batch as it is.
func TestForger(t *testing.T) {
	h := newHistory(t, 1)
	want := batchOf(t, h.batch)
	h.runner = h.run(h.batch, "--name", "history")
	for h.runner.after(4) {
		h.forge()
	}
	h.runner.drain()
	sameContents(t, contents(t, filepath.Join(h.batch, "results")), want)
	if lies := h.faults["a worker lies about a job that it holds"]; lies == 0 {
		t.Error("it was never given a job")
	} else if again := strings.Count(h.runner.log.String(), "from the worker forger as worker-3 cannot be used (it is the result of another job); the job runs again"); again == 0 {
		t.Errorf("%d lies were not noticed: %s", lies, h.runner.log)
	}
}

var errNoToken = errors.New("the batch has no runner")

// tokenOf returns the token of a batch, as its entry says it to workers.
func (h *history) tokenOf(ctx context.Context, name string) (uint64, error) {
	m, err := h.nc.RequestWithContext(ctx, "$JS.API.CONSUMER.NAMES.INEV_JOBS", nil)
	if err != nil {
		return 0, err
	}
	all := regexp.MustCompile(regexp.QuoteMeta(name)+`_(\d+)_g1`).FindAllSubmatch(m.Data, -1)
	if len(all) == 0 {
		return 0, errNoToken
	}
	return strconv.ParseUint(string(all[len(all)-1][1]), 10, 64)
}
