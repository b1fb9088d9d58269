package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/modules/cluster"
)

// newSecuredFleet starts three servers with the configuration that is supplied, changed in
// nothing but addresses and folders, and workers with credentials of their own: all talk
// by TLS, servers among each other too.
func newSecuredFleet(t *testing.T, workers int) *fleet {
	t.Helper()
	f := &fleet{t: t, folder: t.TempDir()}
	hosts := f.hosts(3)
	f.certify(hosts)
	supplied, err := os.ReadFile(filepath.Join("..", "..", "deploy", "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	roles := []string{"runner", "status", "worker-0", "worker-1", "worker-2", "worker-3"}
	for _, role := range roles {
		t.Setenv("INEV_"+strings.ToUpper(strings.ReplaceAll(role, "-", "_"))+"_PASSWORD", "secret-of-"+role)
		f.write(role+".creds", role+":secret-of-"+role+"\n")
	}
	f.credentials = filepath.Join(f.folder, "runner.creds")
	f.extra = []string{"--tls-ca", filepath.Join(f.folder, "ca.crt")}
	for i, host := range hosts {
		name := fmt.Sprintf("nats-%d", i)
		f.urls = append(f.urls, "tls://"+host+":4222")
		config := string(supplied)
		for i, host := range hosts {
			config = strings.ReplaceAll(config, fmt.Sprintf("nats-%d.nats", i), host)
		}
		for old, now := range map[string]string{
			"$SERVER_NAME": name, "$MONITOR": `"` + host + `:8222"`, "0.0.0.0": host, `"/data"`: fmt.Sprintf("%q", filepath.Join(f.folder, name)), "/etc/nats-tls": f.folder,
		} {
			if !strings.Contains(config, old) {
				t.Fatalf("nats.conf has no %s", old)
			}
			config = strings.ReplaceAll(config, old, now)
		}
		config += fmt.Sprintf("log_file: %q\n", filepath.Join(f.folder, name+".log"))
		f.servers = append(f.servers, f.process(name, "jetstream", f.write(name+".conf", config)))
	}
	for i := range workers {
		f.workers = append(f.workers, f.worker(fmt.Sprintf("worker-%d", i), "--credentials", filepath.Join(f.folder, fmt.Sprintf("worker-%d.creds", i))))
	}
	f.nc = f.connectAs("runner")
	return f
}

// certify writes the certificate of an authority and one that it has signed for the servers.
func (f *fleet) certify(hosts []string) {
	f.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "inev test"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, host := range hosts {
		c.IPAddresses = append(c.IPAddresses, net.ParseIP(host))
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		f.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		f.t.Fatal(err)
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	f.write("ca.crt", certificate)
	f.write("tls.crt", certificate)
	f.write("tls.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
}

// connectAs connects to the servers in a role.
func (f *fleet) connectAs(role string) *nats.Conn {
	f.t.Helper()
	nc, err := cluster.Connect(f.t.Context(), cluster.Server{
		URL: strings.Join(f.urls, ","), Credentials: filepath.Join(f.folder, role+".creds"), CA: filepath.Join(f.folder, "ca.crt"),
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(nc.Close)
	return nc
}

// TestSecured: with the supplied configuration, TLS between all, and a role for each, a
// batch is that of inev batch, and each role sees what it is for.
func TestSecured(t *testing.T) {
	folder := manifestWith(t, 1)
	files := []string{"--html", "--dot"}
	want := batchOf(t, folder, files...)
	f := newSecuredFleet(t, 2)
	r := f.run(folder, append([]string{"--metrics", "127.0.0.1:0"}, files...)...)
	r.drain()
	if code := r.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("code %d: %s", code, r.log)
	}
	sameContents(t, contents(t, filepath.Join(folder, "results")), want)
	for _, p := range append(f.workers, r.process) {
		if strings.Contains(p.log.String(), "do not allow") {
			t.Errorf("%s: %s", p.name, p.log)
		}
	}

	status := []string{"status", "--format", "json", "--nats", f.urls[0], "--tls-ca", filepath.Join(f.folder, "ca.crt"), "--credentials"}
	var s cluster.Status
	// A worker that begins while the other one does all jobs is listed a little later.
	for asked := 0; len(s.Workers) != 2; asked++ {
		out, _ := clusterIn(t, folder, 0, append(status, filepath.Join(f.folder, "status.creds"))...)
		s = cluster.Status{}
		if err := json.Unmarshal([]byte(out), &s); err != nil || asked == 200 {
			t.Fatalf("%s (error %v)", out, err)
		}
	}
	if _, stderr := clusterIn(t, folder, exitFailed, append(status, f.write("wrong", "worker-0:secret-of-runner\n"))...); !strings.Contains(stderr, "Authorization Violation") {
		t.Error(stderr)
	}
}

// deed is what somebody may not do.
type deed func(context.Context, jetstream.JetStream, *nats.Conn) error

// listens subscribes to a subject.
func listens(subject string) deed {
	return func(ctx context.Context, _ jetstream.JetStream, nc *nats.Conn) error {
		if _, err := nc.SubscribeSync(subject); err != nil {
			return err
		}
		// The server answers this after it has refused that.
		if err := nc.FlushTimeout(natsPatience); err != nil {
			return err
		}
		return ctx.Err()
	}
}

// notAllowed are what roles may not do.
func notAllowed() map[string]map[string]deed {
	return map[string]map[string]deed{
		"worker-1": {
			"hands out a job": func(ctx context.Context, js jetstream.JetStream, _ *nats.Conn) error {
				_, err := js.Publish(ctx, "inev.job.x.1.g1.y", nil)
				return err
			},
			"announces a batch": func(ctx context.Context, js jetstream.JetStream, _ *nats.Conn) error {
				_, err := js.Publish(ctx, "$KV.INEV_BATCHES.x", nil)
				return err
			},
			"writes a lease": func(ctx context.Context, js jetstream.JetStream, _ *nats.Conn) error {
				_, err := js.Publish(ctx, "$KV.INEV_LEASES.x", nil)
				return err
			},
			"replaces a model": func(ctx context.Context, js jetstream.JetStream, _ *nats.Conn) error {
				_, err := js.Publish(ctx, "inev.model.x.0", nil)
				return err
			},
			"reads a lease": func(ctx context.Context, _ jetstream.JetStream, nc *nats.Conn) error {
				_, err := nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET.KV_INEV_LEASES", []byte(`{"seq":1}`))
				return err
			},
			"reads a job": func(ctx context.Context, _ jetstream.JetStream, nc *nats.Conn) error {
				_, err := nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET.INEV_JOBS", []byte(`{"seq":1}`))
				return err
			},
			"removes results": func(ctx context.Context, _ jetstream.JetStream, nc *nats.Conn) error {
				_, err := nc.RequestWithContext(ctx, "$JS.API.STREAM.PURGE.INEV_RESULTS", nil)
				return err
			},
			"takes jobs with a consumer of its own": func(ctx context.Context, js jetstream.JetStream, _ *nats.Conn) error {
				_, err := js.CreateConsumer(ctx, "INEV_JOBS", jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy})
				return err
			},
			"listens to jobs":                 listens("inev.job.>"),
			"listens to results":              listens("inev.from.*.result.>"),
			"listens to what workers say":     listens("inev.from.*.notice.>"),
			"reads the inbox of a worker":     listens("_INBOX_worker-0.>"),
			"reads the inboxes of all others": listens("_INBOX_*.>"),
			"listens to everything":           listens(">"),
		},
		"status": {
			"gives a result": func(ctx context.Context, js jetstream.JetStream, _ *nats.Conn) error {
				_, err := js.Publish(ctx, "inev.from.status.result.x.1.y", nil)
				return err
			},
			"cancels": func(ctx context.Context, js jetstream.JetStream, _ *nats.Conn) error {
				_, err := js.Publish(ctx, "$KV.INEV_LEASES.x", nil)
				return err
			},
		},
	}
}

// TestRolesAreKept: what a role may not do, the servers refuse.
func TestRolesAreKept(t *testing.T) {
	folder := manifestWith(t, 1)
	f := newSecuredFleet(t, 1)
	r := f.run(folder)
	r.drain() // everything is there now
	for role, wrongs := range notAllowed() {
		for what, wrong := range wrongs {
			nc := f.connectAs(role)
			js, err := jetstream.New(nc)
			if err != nil {
				t.Fatal(err)
			}
			// What is refused has no answer, but an error of the connection.
			ctx, refuse := context.WithTimeout(t.Context(), 2*natsPatience)
			refused := make(chan struct{})
			var once sync.Once
			nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
				if errors.Is(err, nats.ErrPermissionViolation) {
					once.Do(func() { close(refused) })
					refuse()
				}
			})
			err = wrong(ctx, js, nc)
			select {
			case <-refused:
			case <-ctx.Done():
			}
			select {
			case <-refused:
			default:
				t.Errorf("%s %s: error %v, want that of a permission", role, what, err)
			}
			refuse()
			nc.Close()
		}
	}
}
