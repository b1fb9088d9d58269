package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/modules/cluster"
)

const (
	serverFlags = "Servers"
	resultFlags = "Result"
	runFlags    = "Run"
)

// serverFlagsOf are the flags about servers.
func serverFlagsOf(urls string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Category: serverFlags,
			Name:     "nats",
			EnvVars:  []string{"NATS_URL"},
			Usage:    urls,
		},
		&cli.StringFlag{
			Category: serverFlags,
			Name:     "credentials",
			EnvVars:  []string{"NATS_CREDENTIALS"},
			Usage:    "a `FILE`: NATS credentials (.creds), the seed of an nkey, or a line user:password",
		},
		&cli.StringFlag{
			Category: serverFlags,
			Name:     "tls-ca",
			Usage:    "trust servers with certificates signed by one in `FILE`",
		},
		&cli.StringFlag{
			Category: serverFlags,
			Name:     "tls-cert",
			Usage:    "present the certificate in `FILE` to servers",
		},
		&cli.StringFlag{
			Category: serverFlags,
			Name:     "tls-key",
			Usage:    "the key of --tls-cert, in `FILE`",
		},
		&cli.BoolFlag{
			Category: serverFlags,
			Name:     "plaintext",
			Usage:    "also connect to other machines without TLS",
		},
		&cli.IntFlag{
			Category:    serverFlags,
			Name:        "replicas",
			DefaultText: "3 in a cluster, else 1",
			Usage:       "store everything on `N` servers",
		},
	}
}

// connect connects to the servers that the flags name.
func (p *program) connect(c *cli.Context) (*nats.Conn, error) { return p.connectWithin(c, 0) }

// connectWithin connects to the servers that the flags name, and waits for them at most that long; 0 means a
// minute.
func (p *program) connectWithin(c *cli.Context, patience time.Duration) (*nats.Conn, error) {
	host, _ := os.Hostname()
	if (c.String("tls-cert") == "") != (c.String("tls-key") == "") {
		return nil, fmt.Errorf("--tls-cert and --tls-key need each other")
	}
	nc, err := cluster.Connect(c.Context, cluster.Server{
		URL:         c.String("nats"),
		Credentials: c.String("credentials"),
		Plaintext:   c.Bool("plaintext"),
		CA:          c.String("tls-ca"),
		Certificate: c.String("tls-cert"),
		Key:         c.String("tls-key"),
		Name:        "inev-cluster " + c.Command.Name + " on " + host,
		Patience:    patience,
		Refused: func(what string) {
			fmt.Fprintf(p.stderr,
				"warning: the servers do not allow this user what it needs: %s\n", printable.Text(what))
		},
	})
	if err != nil {
		return nil, withRemedy(err)
	}
	return nc, nil
}

// withRemedy adds the remedy to the error of a connection.
func withRemedy(err error) error {
	text := err.Error()
	for _, known := range []struct{ cause, helps string }{
		{cluster.ErrAnonymous.Error(), "give --credentials FILE"},
		{cluster.ErrPlaintext.Error(), "give an address tls://…, or --tls-ca FILE, or --plaintext where the network is trusted"},
		{"Authorization Violation", "look at --credentials"},
		{"secure connection required", "give an address tls://…, or --tls-ca FILE"},
		{"no servers available", "they may be starting, or the address is wrong"},
		{"certificate", "look at --tls-ca, --tls-cert and --tls-key"},
	} {
		if strings.Contains(text, known.cause) ||
			strings.Contains(strings.ToLower(text), strings.ToLower(known.cause)) {
			return fmt.Errorf("%w; %s", err, known.helps)
		}
	}
	return err
}

// metrics serves metrics of a batch to Prometheus.
type metrics struct {
	listener net.Listener
	server   *http.Server

	mu       sync.Mutex
	observer *cluster.Observer // nil before the run has begun
}

// scrapeTimeout is the time within which servers must answer a request for metrics.
const scrapeTimeout = 5 * time.Second

// serveMetrics serves metrics at the address of --metrics, and prints it.
func (p *program) serveMetrics(c *cli.Context) (*metrics, error) {
	m, err := serveMetrics(c.String("metrics"))
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	if !c.Bool("quiet") {
		fmt.Fprintf(p.stderr, "metrics at %s\n", m.url())
	}
	return m, nil
}

// serveMetrics serves metrics at an address until they are closed.
func serveMetrics(address string) (*metrics, error) {
	m := &metrics{}
	registry := prometheus.NewRegistry()
	if err := registry.Register(m); err != nil {
		return nil, err
	}
	var err error
	if m.listener, err = net.Listen("tcp", address); err != nil {
		return nil, fmt.Errorf("%w; give an address such as 127.0.0.1:9464", err)
	}
	routes := http.NewServeMux()
	routes.Handle("GET /metrics",
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	m.server = &http.Server{Handler: routes, ReadHeaderTimeout: scrapeTimeout}
	go func() {
		if err := m.server.Serve(m.listener); !errors.Is(err, http.ErrServerClosed) {
			_ = m.listener.Close()
		}
	}()
	return m, nil
}

func (m *metrics) url() string { return "http://" + m.listener.Addr().String() + "/metrics" }

func (m *metrics) close() { _ = m.server.Close() }

func (m *metrics) observe(o *cluster.Observer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observer = o
}

// The metrics.
var (
	jobsMetric = prometheus.NewDesc("inev_cluster_jobs",
		"Jobs of the batch by state: sent, begun, arrived, and those that are done by their status.", []string{"batch", "state"}, nil)
	totalMetric = prometheus.NewDesc("inev_cluster_manifest_jobs", "Jobs of the manifest.",
		[]string{"batch"}, nil)
	oldestMetric = prometheus.NewDesc("inev_cluster_oldest_job_seconds",
		"For how long the oldest job has been waiting for its result.", []string{"batch"}, nil)
	tokenMetric = prometheus.NewDesc("inev_cluster_lease_token",
		"The fencing token of the runner.", []string{"batch"}, nil)
	workersMetric = prometheus.NewDesc("inev_cluster_workers",
		"Workers of the version of the runner.", nil, nil)
	bytesMetric = prometheus.NewDesc("inev_cluster_stored_bytes",
		"Bytes that the servers keep.", []string{"stream"}, nil)
	itemsMetric = prometheus.NewDesc("inev_cluster_stored_messages",
		"Messages that the servers keep.", []string{"stream"}, nil)
	behindMetric = prometheus.NewDesc("inev_cluster_replicas_not_current",
		"Replicas that are away or have not got everything.", []string{"stream"}, nil)
	leaderMetric = prometheus.NewDesc("inev_cluster_leader",
		"1 where a server leads the stream, else 0.", []string{"stream"}, nil)
	upMetric = prometheus.NewDesc("inev_cluster_servers_up",
		"1 where the servers answer, else 0.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		jobsMetric, totalMetric, oldestMetric, tokenMetric, workersMetric, bytesMetric, itemsMetric, behindMetric, leaderMetric, upMetric,
	} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	m.mu.Lock()
	o := m.observer
	m.mu.Unlock()
	if o == nil {
		return
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	name, token := o.Name()
	jobs := o.Jobs()
	gauge(totalMetric, float64(jobs.Total), name)
	gauge(jobsMetric, float64(jobs.NotBegun), name, "sent")
	gauge(jobsMetric, float64(jobs.Begun), name, "begun")
	gauge(jobsMetric, float64(jobs.Arrived), name, "arrived")
	for status, n := range jobs.Done {
		gauge(jobsMetric, float64(n), name, string(status))
	}
	gauge(oldestMetric, jobs.Oldest.Seconds(), name)
	gauge(tokenMetric, float64(token), name)
	ctx, stop := context.WithTimeout(context.Background(), scrapeTimeout)
	defer stop()
	stored, err := o.Stored(ctx)
	gauge(upMetric, zeroOrOne(err == nil))
	for _, s := range stored {
		gauge(bytesMetric, float64(s.Bytes), s.Stream)
		gauge(itemsMetric, float64(s.Messages), s.Stream)
		gauge(behindMetric, float64(s.ReplicasBehind), s.Stream)
		gauge(leaderMetric, zeroOrOne(s.Leader), s.Stream)
	}
	if n, err := o.Workers(ctx); err == nil {
		gauge(workersMetric, float64(n))
	}
}

func zeroOrOne(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
