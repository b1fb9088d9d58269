package main

import (
	"fmt"
	"net"
	"regexp"
	"sync"
	"testing"
)

// links is what can be cut between the processes of a history.
type links interface {
	// cut lets nothing pass between two processes, in either direction.
	cut(a, b string)
	// heal takes all cuts back.
	heal()
}

// network forwards all connections between the processes of a fleet, and can cut any two of
// them off from each other: then nothing passes, and nobody is told, as where a cable is
// pulled. What was sent before passes once the cut is healed.
type network struct {
	mu      sync.Mutex
	changed *sync.Cond
	cuts    map[[2]string]bool
	closed  bool
}

func newNetwork(t *testing.T) *network {
	n := &network{cuts: map[[2]string]bool{}}
	n.changed = sync.NewCond(&n.mu)
	t.Cleanup(func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.closed = true
		n.changed.Broadcast()
	})
	return n
}

func between(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

func (n *network) cut(a, b string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cuts[between(a, b)] = true
}

// heal takes all cuts back.
func (n *network) heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.cuts)
	n.changed.Broadcast()
}

// pass waits until something can pass between two; false if the network is gone.
func (n *network) pass(a, b string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.cuts[between(a, b)] && !n.closed {
		n.changed.Wait()
	}
	return !n.closed
}

// serverName is what a server says of itself when it connects to another one.
var serverName = regexp.MustCompile(`"server_name":"(s\d+)"|"name":"(s\d+)"`)

// forward accepts connections at an address and forwards them to that of a process. They
// come from the process that is named, or where that is "", from the server that says so.
func (n *network) forward(t *testing.T, at, from, to, address string) {
	t.Helper()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go n.connect(c, from, to, address)
		}
	}()
}

func (n *network) connect(c net.Conn, from, to, address string) {
	defer c.Close()
	if from != "" && !n.pass(from, to) {
		return
	}
	s, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer s.Close()
	known := make(chan struct{}) // closed once it is known who connects
	var once sync.Once
	learn := func(name string) { once.Do(func() { from = name; close(known) }) }
	if from != "" {
		learn(from)
	}
	ended := make(chan struct{}, 2)
	go func() {
		defer func() { ended <- struct{}{} }()
		b := make([]byte, 32<<10)
		for {
			k, err := c.Read(b)
			select {
			case <-known:
			default:
				if found := serverName.FindSubmatch(b[:k]); found != nil {
					learn(fmt.Sprintf("%s%s", found[1], found[2]))
				}
			}
			select {
			case <-known:
				if !n.pass(from, to) {
					return
				}
			default:
			}
			if _, wrong := s.Write(b[:k]); wrong != nil || err != nil {
				return
			}
		}
	}()
	go func() {
		defer func() { ended <- struct{}{} }()
		b := make([]byte, 32<<10)
		for {
			k, err := s.Read(b)
			select {
			case <-known:
				if !n.pass(from, to) {
					return
				}
			default:
			}
			if _, wrong := c.Write(b[:k]); wrong != nil || err != nil {
				return
			}
		}
	}()
	<-ended
}
