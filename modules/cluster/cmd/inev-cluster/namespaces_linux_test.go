package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// partitionsVariable says how long the history of partitions lasts:
// INEV_CLUSTER_PARTITIONS=10m.
const (
	partitionsVariable = "INEV_CLUSTER_PARTITIONS"
	shortPartitions    = 10 * time.Second
)

// islands are network namespaces, one for each process of a history, that are joined by a
// bridge in another one. The kernel loses what is sent, so that connections time out and are
// retransmitted as on a cable; nothing of the machine's own network is touched.
type islands struct {
	t         *testing.T
	prefix    string
	addresses map[string]string // by name
	lost      [][2]string       // packets from, to
	down      []string          // names whose cable is pulled
}

// newIslands makes a namespace for each name. The test is skipped where that is not possible.
func newIslands(t *testing.T, names []string) *islands {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil || os.Geteuid() != 0 {
		t.Skip("network namespaces need root, and ip of iproute2")
	}
	n := &islands{t: t, prefix: fmt.Sprintf("inev%d-", os.Getpid()), addresses: map[string]string{}}
	if text, err := exec.Command("ip", "netns", "add", n.in("hub")).CombinedOutput(); err != nil {
		t.Skipf("no network namespace can be made here: %s", text)
	}
	t.Cleanup(func() { n.ip("netns", "del", n.in("hub")) })
	n.ip("-n", n.in("hub"), "link", "add", "bridge", "type", "bridge")
	n.ip("-n", n.in("hub"), "link", "set", "bridge", "up")
	for i, name := range names {
		n.addresses[name] = fmt.Sprintf("10.28.0.%d", i+1)
		n.ip("netns", "add", n.in(name))
		t.Cleanup(func() { n.ip("netns", "del", n.in(name)) })
		n.ip("-n", n.in("hub"), "link", "add", "to-"+name, "type", "veth", "peer", "name", "eth0", "netns", n.in(name))
		n.ip("-n", n.in("hub"), "link", "set", "to-"+name, "master", "bridge", "up")
		n.ip("-n", n.in(name), "address", "add", n.addresses[name]+"/24", "dev", "eth0")
		n.ip("-n", n.in(name), "link", "set", "eth0", "up")
		n.ip("-n", n.in(name), "link", "set", "lo", "up")
	}
	return n
}

func (n *islands) in(name string) string { return n.prefix + name }

func (n *islands) ip(args ...string) {
	n.t.Helper()
	if text, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		n.t.Errorf("ip %s: %v %s", strings.Join(args, " "), err, text)
	}
}

// within returns the words before a command that is to run in a namespace.
func (n *islands) within(name string) []string {
	return []string{"ip", "netns", "exec", n.in(name)}
}

// lose loses what one process sends to another, which still reaches the one: it goes to a
// hardware address that nobody has.
func (n *islands) lose(from, to string) {
	n.ip("-n", n.in(from), "neighbour", "replace", n.addresses[to], "lladdr", "02:00:00:00:00:00", "nud", "permanent", "dev", "eth0")
	n.lost = append(n.lost, [2]string{from, to})
}

func (n *islands) cut(a, b string) {
	n.lose(a, b)
	n.lose(b, a)
}

// pull pulls the cable of a process.
func (n *islands) pull(name string) {
	n.ip("-n", n.in("hub"), "link", "set", "to-"+name, "down")
	n.down = append(n.down, name)
}

func (n *islands) heal() {
	for _, l := range n.lost {
		n.ip("-n", n.in(l[0]), "neighbour", "replace", n.addresses[l[1]], "lladdr", "02:00:00:00:00:00", "nud", "stale", "dev", "eth0")
		n.ip("-n", n.in(l[0]), "neighbour", "del", n.addresses[l[1]], "dev", "eth0")
	}
	for _, name := range n.down {
		n.ip("-n", n.in("hub"), "link", "set", "to-"+name, "up")
	}
	n.lost, n.down = nil, nil
}

// listen opens a UDP socket in a namespace.
func (n *islands) listen(name string) *net.UDPConn {
	n.t.Helper()
	var conn *net.UDPConn
	opened := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		f, err := os.Open("/run/netns/" + n.in(name))
		if err == nil {
			defer f.Close()
			err = unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
		}
		if err == nil {
			conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(n.addresses[name]), Port: 2828})
		}
		opened <- err
	}()
	if err := <-opened; err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// newPartitioned starts three servers and three workers, each in a network namespace.
func newPartitioned(t *testing.T, seed uint64) *history {
	t.Helper()
	servers, workers := []string{"s1", "s2", "s3"}, []string{"worker-0", "worker-1", "worker-2"}
	n := newIslands(t, append(append(servers, workers...), "runner"))
	f := &fleet{t: t, folder: t.TempDir(), within: n.within("runner"), extra: []string{"--plaintext"}}
	h := &history{fleet: f, net: n, draw: rand.New(rand.NewPCG(seed, 29)), faults: map[string]int{}}
	h.fault = func() string { return h.partitionOf(n) }
	h.batch = manifestOf(t, historyJobs)
	f.credentials = f.write("credentials", "inev:secret\n")
	var routes []string
	for _, name := range servers {
		routes = append(routes, fmt.Sprintf("nats://%s:6222", n.addresses[name]))
		f.urls = append(f.urls, fmt.Sprintf("nats://%s:4222", n.addresses[name]))
	}
	for _, name := range servers {
		config := fmt.Sprintf("server_name: %s\nlisten: %s:4222\nlog_file: %q\njetstream { store_dir: %q }\nauthorization { user: inev, password: secret }\n"+
			"cluster { name: inev, listen: %s:6222, routes: [%s] }\n",
			name, n.addresses[name], filepath.Join(f.folder, name+".log"), filepath.Join(f.folder, name), n.addresses[name], strings.Join(routes, ", "))
		f.servers = append(f.servers, f.process(name, append(n.within(name), "jetstream", f.write(name+".conf", config))...))
	}
	for _, name := range workers {
		f.workers = append(f.workers, f.process(name, append(n.within(name), append([]string{"inev-cluster", "work", "--name", name, "--jobs", "1", "--cache", filepath.Join(f.folder, name)}, f.flags()...)...)...))
	}
	return h
}

// partitionOf draws a partition, also such as proxies cannot make: in one direction alone, by a
// cable that is pulled, and of servers in a row, of which the middle one reaches both others.
func (h *history) partitionOf(n *islands) string {
	long := time.Duration(300+h.draw.IntN(5000)) * time.Millisecond
	server := h.draw.IntN(len(h.servers))
	name, next, third := h.servers[server].name, h.servers[(server+1)%3].name, h.servers[(server+2)%3].name
	what := ""
	switch h.draw.IntN(5) {
	case 0:
		h.partition(server)
		what = "some are cut off"
	case 1:
		n.pull([]string{name, name, "runner", "worker-0"}[h.draw.IntN(4)])
		what = "a cable is pulled"
	case 2:
		n.lose(name, next)
		n.lose(name, third)
		what = "a server hears and is not heard"
	case 3:
		n.cut(next, third)
		what = "two servers reach the third alone"
	default:
		n.lose("runner", name)
		what = "the runner is not heard by a server"
	}
	h.hold(long)
	n.heal()
	return what
}

// TestPartitions: whoever cannot reach whom for a while, every job has exactly one result in the
// end, and it is that of inev batch.
func TestPartitions(t *testing.T) {
	length, seed := lengthAndSeed(t, partitionsVariable, shortPartitions)
	h := newPartitioned(t, seed)
	t.Logf("seed %d: %d batches of %d jobs, partitions %v", seed, h.happen(length), historyJobs, h.faults)
	if len(h.faults) == 0 {
		t.Error("there was no partition")
	}
}

// TestIslands: what is sent while a connection is cut is lost, in the direction that was asked
// for, and what is sent later arrives.
func TestIslands(t *testing.T) {
	n := newIslands(t, []string{"a", "b", "c"})
	sockets := map[string]*net.UDPConn{}
	for name := range n.addresses {
		sockets[name] = n.listen(name)
	}
	send := func(from, to, text string) {
		// An error says that it is lost.
		_, _ = sockets[from].WriteToUDP([]byte(text), &net.UDPAddr{IP: net.ParseIP(n.addresses[to]), Port: 2828})
	}
	// arrives sends a text until it comes; before it, only that may come which was held back.
	arrives := func(from, to, text, held string) {
		t.Helper()
		for range 1000 {
			send(from, to, text)
			_ = sockets[to].SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			b := make([]byte, 100)
			k, _, err := sockets[to].ReadFromUDP(b)
			if err != nil {
				continue
			}
			if got := string(b[:k]); got == held {
				continue
			} else if got != text {
				t.Errorf("from %s to %s: %q arrives, want %q", from, to, got, text)
			}
			for err == nil { // those that were sent again
				_ = sockets[to].SetReadDeadline(time.Now().Add(time.Millisecond))
				_, _, err = sockets[to].ReadFromUDP(b)
			}
			return
		}
		t.Errorf("from %s to %s: nothing arrives", from, to)
	}
	for name, c := range map[string]struct {
		cut       func()
		lost, not [][2]string
		held      string
	}{
		"one way": {func() { n.lose("a", "b") }, [][2]string{{"a", "b"}}, [][2]string{{"b", "a"}, {"a", "c"}}, ""},
		"both":    {func() { n.cut("a", "b") }, [][2]string{{"a", "b"}, {"b", "a"}}, [][2]string{{"a", "c"}, {"c", "b"}}, ""},
		// Where the system sees that there is no cable, it holds some packets back.
		"no cable": {func() { n.pull("a") }, [][2]string{{"a", "b"}, {"b", "a"}, {"c", "a"}}, [][2]string{{"b", "c"}, {"c", "b"}}, "lost"},
	} {
		t.Run(name, func(t *testing.T) {
			all := slices.Concat(c.lost, c.not)
			for _, pair := range all {
				arrives(pair[0], pair[1], "before", "")
			}
			c.cut()
			for _, pair := range c.lost {
				send(pair[0], pair[1], "lost")
			}
			for _, pair := range c.not {
				arrives(pair[0], pair[1], "meanwhile", "")
			}
			n.heal()
			for _, pair := range all {
				arrives(pair[0], pair[1], "after", c.held)
			}
		})
	}
}
