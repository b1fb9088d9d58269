package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// certified writes the certificate of a new authority into a file, and returns one for
// 127.0.0.1 that it has signed.
func certified(t *testing.T) (ca string, pair tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "inev test"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		t.Fatal(err)
	}
	return ca, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// guarded starts a server that wants to know who connects, and returns its address.
func guarded(t *testing.T, o server.Options) string {
	t.Helper()
	o.Host, o.Port, o.NoLog, o.NoSigs, o.JetStream, o.StoreDir = "127.0.0.1", server.RANDOM_PORT, true, true, true, t.TempDir()
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(becomingReady) {
		t.Fatal("the server does not become ready")
	}
	return "nats://" + s.Addr().String()
}

// TestBadClients: who does not show what a server wants, or is not shown what it wants
// itself, does not get in.
func TestBadClients(t *testing.T) {
	ca, pair := certified(t)
	other, _ := certified(t)
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "credentials")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	right, wrong := file("inev:secret\n"), file("inev:guess\n")
	secure := guarded(t, server.Options{Username: "inev", Password: "secret", TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}})
	plain := guarded(t, server.Options{Username: "inev", Password: "secret"})
	for name, c := range map[string]struct {
		server Server
		want   string // "" if it gets in
	}{
		"right":                 {Server{URL: secure, Credentials: right, CA: ca}, ""},
		"right without TLS":     {Server{URL: plain, Credentials: right}, ""},
		"wrong password":        {Server{URL: secure, Credentials: wrong, CA: ca}, "Authorization Violation"},
		"nobody":                {Server{URL: secure, CA: ca}, "Authorization Violation"},
		"no TLS":                {Server{URL: secure, Credentials: right}, "certificate"},
		"another authority":     {Server{URL: secure, Credentials: right, CA: other}, "certificate"},
		"the server has no TLS": {Server{URL: plain, Credentials: right, CA: ca}, "secure connection not available"},
		"no file":               {Server{URL: plain, Credentials: "nowhere"}, "no such file"},
		"no credentials in it":  {Server{URL: plain, Credentials: file("what?\n")}, "holds no credentials"},
		"no certificate in it":  {Server{URL: plain, CA: right}, "no certificate in PEM"},
		"no key":                {Server{URL: plain, Certificate: ca, Key: right}, "key"},
		"no address":            {Server{URL: "here"}, "is not an address of a server"},
	} {
		nc, err := Connect(t.Context(), c.server)
		switch {
		case err == nil:
			nc.Close()
			if c.want != "" {
				t.Errorf("%s: gets in", name)
			}
		case c.want == "" || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		case strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "guess"):
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
}

// TestKeysAsCredentials: the seed of a key gets in where the server knows the key.
func TestKeysAsCredentials(t *testing.T) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := pair.PublicKey()
	seed, _ := pair.Seed()
	url := guarded(t, server.Options{Nkeys: []*server.NkeyUser{{Nkey: public}}})
	path := filepath.Join(t.TempDir(), "seed")
	if err := os.WriteFile(path, append(seed, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	nc, err := Connect(t.Context(), Server{URL: url, Credentials: path})
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}

// TestNobodyIsAnonymousElsewhere: beyond the loopback, credentials and TLS are demanded
// before anything is sent.
func TestNobodyIsAnonymousElsewhere(t *testing.T) {
	ca, _ := certified(t)
	credentials := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(credentials, []byte("inev:secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		server Server
		want   error
	}{
		{Server{URL: "nats://192.0.2.1:4222"}, ErrAnonymous},
		{Server{URL: "tls://192.0.2.1:4222"}, ErrAnonymous},
		{Server{URL: "nats://192.0.2.1:4222", CA: ca, Plaintext: true}, ErrAnonymous},
		{Server{URL: "nats://localhost:4222,nats://example.org:4222"}, ErrAnonymous},
		{Server{URL: "nats://inev:secret@192.0.2.1:4222"}, ErrPlaintext},
		{Server{URL: "nats://192.0.2.1:4222", Credentials: credentials}, ErrPlaintext},
		{Server{URL: "nats://localhost.example.org:4222", Credentials: credentials}, ErrPlaintext},
		{Server{URL: "tls://192.0.2.1:4222", Credentials: credentials}, nil},
		{Server{URL: "nats://192.0.2.1:4222", Credentials: credentials, CA: ca}, nil},
		{Server{URL: "nats://192.0.2.1:4222", Credentials: credentials, Plaintext: true}, nil},
		{Server{URL: "nats://127.0.0.1:4222,nats://[::1]:4222"}, nil},
	} {
		_, err := c.server.options()
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: error %v, want %v", c.server, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

// TestEmbeddedServerWantsItsToken: others on this machine do not get in by knowing the port.
func TestEmbeddedServerWantsItsToken(t *testing.T) {
	e, err := Embed()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	nc, err := Connect(t.Context(), Server{URL: e.URL()})
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	_, address, _ := strings.Cut(e.URL(), "@")
	if _, err := Connect(t.Context(), Server{URL: "nats://" + address}); err == nil || !strings.Contains(err.Error(), "Authorization Violation") {
		t.Errorf("error %v, want that of an authorization", err)
	}
}

// TestConnectGivesUp: who is told to stop does not wait for servers.
func TestConnectGivesUp(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Connect(ctx, Server{URL: "nats://127.0.0.1:1"}); err == nil {
		t.Error("connected")
	}
}

// TestMissingPermission: who may not do what a runner does learns what it is, instead of waiting for
// an answer that does not come.
func TestMissingPermission(t *testing.T) {
	worker := &server.User{Username: "worker", Password: "secret", Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{"$JS.API.STREAM.INFO.INEV_RESULTS"}},
	}}
	url := guarded(t, server.Options{Users: []*server.User{worker}})
	path := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(path, []byte("worker:secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nc, err := Connect(t.Context(), Server{URL: url, Credentials: path})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_, err = Run(t.Context(), nc, ring(t, 1), Settings{Name: "test"})
	var refused *PermissionError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "$JS.API.STREAM.INFO.INEV_JOBS") {
		t.Errorf("run: error %v", err)
	}
	if err := Cancel(t.Context(), nc, "test"); !errors.As(err, &refused) || !strings.Contains(err.Error(), "$JS.API.INFO") {
		t.Errorf("cancel: error %v", err)
	}
}

// TestConnectionClosedWhileStarting: a server that closes connections may be coming up, so that it is tried again.
func TestConnectionClosedWhileStarting(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	var tries atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
			if tries.Add(1) == 2 {
				stop()
			}
		}
	}()
	nc, err := Connect(ctx, Server{URL: "nats://" + listener.Addr().String()})
	if err == nil {
		nc.Close()
		t.Fatal("connected to a server that closes each connection")
	}
	if tries.Load() < 2 {
		t.Errorf("it gave up with %v after %d tries", err, tries.Load())
	}
}
