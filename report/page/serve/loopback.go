//go:build !js

package serve

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// loopback is a port of this machine, and the time of its last request.
type loopback struct {
	listener net.Listener
	host     string
	// seen is the value of now at the last answered request.
	seen atomic.Int64
	// now returns how long the port has been open. It does not depend on the clock of the machine,
	// which may be set.
	now func() time.Duration
}

// listen opens a port of the loopback interface, 0 for any free port.
func (p *loopback) listen(port int) (err error) {
	if p.listener, err = net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err != nil {
		return err
	}
	begin := time.Now()
	p.host, p.now = p.listener.Addr().String(), func() time.Duration { return time.Since(begin) }
	return nil
}

// Close closes the port if [loopback.run] was not called.
func (p *loopback) Close() error { return p.listener.Close() }

// run answers requests by a handler until ctx is done, or there was no request for the duration
// idle.
func (p *loopback) run(ctx context.Context, handler http.Handler, idle time.Duration) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: patienceRead, ReadTimeout: patienceRead, WriteTimeout: patienceSend, IdleTimeout: patienceSend,
		MaxHeaderBytes: maxHeader, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		ended <- server.Serve(p.listener)
	}()
	defer wait.Wait()
	defer server.Close()
	p.seen.Store(int64(p.now()))
	return untilIdle(ctx, ended, idle, func() time.Duration { return p.now() - time.Duration(p.seen.Load()) })
}

// untilIdle waits until ctx is done, a server has ended, or there was no request for the
// duration idle.
func untilIdle(ctx context.Context, ended <-chan error, idle time.Duration, quiet func() time.Duration) error {
	for {
		left := idle - quiet()
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case err := <-ended:
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}
