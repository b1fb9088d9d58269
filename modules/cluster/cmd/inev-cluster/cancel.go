package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/modules/cluster"
)

func (p *program) cancelCommand() *cli.Command {
	return &cli.Command{
		Name: "cancel", Usage: "end a batch, wherever it is run", ArgsUsage: "NAME",
		Description: `NAME is that of the batch on the servers, as inev-cluster status lists it. Its runner ends,
workers stop, and results that were not fetched are removed. What is in the folder of results
stays, and run --resume continues with it.`,
		Flags:  serverFlagsOf("the servers are at `URL`, several with commas between"),
		Action: p.cancel,
	}
}

func (p *program) cancel(c *cli.Context) error {
	name, err := operand(c, "the name of a batch")
	if err != nil {
		return err
	}
	if c.String("nats") == "" {
		return errors.New("--nats URL is missing: where are the servers?")
	}
	nc, err := p.connect(c)
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := cluster.Cancel(c.Context, nc, name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "canceled %s\n", printable.Text(name))
	return err
}
