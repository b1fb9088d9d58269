package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/inev-lts/inev/internal/filesystem"
)

// Embedded is a server in this process, on a port of the loopback; clients need its token.
type Embedded struct {
	server *server.Server
	folder string
	handle *os.File // an open folder, which is locked
	token  string
}

// Embed starts a server that stores its data in a new folder until it is closed.
func Embed() (*Embedded, error) {
	removeLeftovers()
	folder, err := os.MkdirTemp("", foldersBegin)
	if err != nil {
		return nil, err
	}
	e := &Embedded{folder: folder, token: nuid.New().Next()}
	if e.handle, err = os.Open(folder); err == nil {
		filesystem.Lock(e.handle)
	}
	e.server, err = server.NewServer(&server.Options{
		ServerName:             "inev",
		Host:                   "127.0.0.1",
		Port:                   server.RANDOM_PORT,
		Authorization:          e.token,
		JetStream:              true,
		StoreDir:               folder,
		NoLog:                  true,
		NoSigs:                 true,
		DisableJetStreamBanner: true,
	})
	if err == nil {
		e.server.Start()
		if !e.server.ReadyForConnections(becomingReady) {
			err = errors.New("it does not become ready")
		}
	}
	if err == nil {
		err = e.prepare()
	}
	if err != nil {
		e.Close()
		return nil, fmt.Errorf("the server of this run cannot be started: %w", err)
	}
	return e, nil
}

// prepare makes the streams and buckets of batches; workers wait for these.
func (e *Embedded) prepare() error {
	nc, err := e.Connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	_, err = openQueue(context.Background(), nc, 1)
	return err
}

// URL returns the address of the server for other processes on this machine, with its token.
func (e *Embedded) URL() string {
	_, port, _ := net.SplitHostPort(e.server.Addr().String())
	n, _ := strconv.Atoi(port)
	u := url.URL{
		Scheme: "nats",
		User:   url.User(e.token),
		Host:   fmt.Sprintf("127.0.0.1:%d", n),
	}
	return u.String()
}

// Connect connects to the server without a network.
func (e *Embedded) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(e.server), nats.Token(e.token),
		nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
}

// Folder returns a new folder, which is removed when the server is closed.
func (e *Embedded) Folder(name string) (string, error) {
	path := filepath.Join(e.folder, name)
	return path, os.Mkdir(path, 0o755)
}

// Close ends the server and removes its data.
func (e *Embedded) Close() {
	if e.server != nil {
		e.server.Shutdown()
		e.server.WaitForShutdown()
	}
	_ = os.RemoveAll(e.folder)
	_ = e.handle.Close()
}

// foldersBegin is the prefix of the names of the servers' folders.
const foldersBegin = "inev-cluster-"

// removeLeftovers removes the folders of killed processes, which no process locks. It spares young
// folders, since a new folder is not locked at once.
func removeLeftovers() {
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), foldersBegin+"*"))
	if err != nil {
		return
	}
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < becomingReady {
			continue
		}
		handle, err := os.Open(folder)
		if err != nil {
			continue
		}
		if filesystem.Lock(handle) {
			_ = os.RemoveAll(folder)
		}
		_ = handle.Close()
	}
}
