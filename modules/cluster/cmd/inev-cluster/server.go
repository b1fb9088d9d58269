package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/modules/cluster"
)

const (
	serverFlags = "Servers"
	resultFlags = "Result"
	runFlags    = "Run"
)

// serverFlagsOf are the flags that say where servers are.
func serverFlagsOf(urls string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Category: serverFlags, Name: "nats", EnvVars: []string{"NATS_URL"}, Usage: urls},
		&cli.StringFlag{Category: serverFlags, Name: "credentials", EnvVars: []string{"NATS_CREDENTIALS"}, Usage: "a `FILE`: NATS credentials (.creds), the seed of an nkey, or a line user:password"},
		&cli.StringFlag{Category: serverFlags, Name: "tls-ca", Usage: "trust servers with certificates signed by one in `FILE`"},
		&cli.StringFlag{Category: serverFlags, Name: "tls-cert", Usage: "present the certificate in `FILE` to servers"},
		&cli.StringFlag{Category: serverFlags, Name: "tls-key", Usage: "the key of --tls-cert, in `FILE`"},
		&cli.BoolFlag{Category: serverFlags, Name: "plaintext", Usage: "also connect to other machines without TLS"},
		&cli.IntFlag{Category: serverFlags, Name: "replicas", Usage: "store everything on `N` servers (default: 3 in a cluster, else 1)"},
	}
}

// connect connects to the servers that the flags name.
func (p *program) connect(c *cli.Context) (*nats.Conn, error) { return p.connectWithin(c, 0) }

// connectWithin is connect, which waits for servers for this long; 0 stands for a minute.
func (p *program) connectWithin(c *cli.Context, patience time.Duration) (*nats.Conn, error) {
	host, _ := os.Hostname()
	if (c.String("tls-cert") == "") != (c.String("tls-key") == "") {
		return nil, fmt.Errorf("--tls-cert and --tls-key need each other")
	}
	nc, err := cluster.Connect(c.Context, cluster.Server{
		URL: c.String("nats"), Credentials: c.String("credentials"), Plaintext: c.Bool("plaintext"),
		CA: c.String("tls-ca"), Certificate: c.String("tls-cert"), Key: c.String("tls-key"),
		Name: "inev-cluster " + c.Command.Name + " on " + host, Patience: patience,
		Refused: func(what string) {
			fmt.Fprintf(p.stderr, "warning: the servers do not allow this user what it needs: %s\n", printable.Text(what))
		},
	})
	if err != nil {
		return nil, explained(err)
	}
	return nc, nil
}

// explained says what helps against an error of a connection.
func explained(err error) error {
	text := err.Error()
	for _, known := range []struct{ cause, helps string }{
		{cluster.ErrAnonymous.Error(), "give --credentials FILE"},
		{cluster.ErrPlaintext.Error(), "give an address tls://…, or --tls-ca FILE, or --plaintext where the network is trusted"},
		{"Authorization Violation", "look at --credentials"},
		{"secure connection required", "give an address tls://…, or --tls-ca FILE"},
		{"no servers available", "they may be starting, or the address is wrong"},
		{"certificate", "look at --tls-ca, --tls-cert and --tls-key"},
	} {
		if strings.Contains(text, known.cause) || strings.Contains(strings.ToLower(text), strings.ToLower(known.cause)) {
			return fmt.Errorf("%w; %s", err, known.helps)
		}
	}
	return err
}
