package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/modules/cluster"
)

// asking is how long status tries to connect.
const asking = 5 * time.Second

func (p *program) statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "list batches and workers",
		Flags: append(serverFlagsOf("ask the servers at `URL`, several with commas between"),
			&cli.StringFlag{Category: resultFlags, Name: "format", Value: "text", Usage: "`FORMAT` is text or json"}),
		Action: p.status,
	}
}

func (p *program) status(c *cli.Context) error {
	format := c.String("format")
	switch {
	case c.NArg() > 0:
		return fmt.Errorf("status takes no operands, found %q", c.Args().First())
	case format != "text" && format != "json":
		return fmt.Errorf("--format: there is no format %q; choose text or json", format)
	case c.String("nats") == "":
		return errors.New("--nats URL is missing: where are the servers?")
	}
	// Who asks what goes on is not to wait for servers.
	nc, err := p.connectWithin(c, asking)
	if err != nil {
		return err
	}
	defer nc.Close()
	s, err := cluster.ReadStatus(c.Context, nc)
	if err != nil {
		return err
	}
	if format == "json" {
		encoder := json.NewEncoder(p.stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(s)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "batch\tversion\tjobs\tfinished\trunning\twaiting\theld by")
	for _, b := range s.Batches {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\n", b.Name, b.Version, b.Jobs, b.Finished, b.Running, b.Waiting, holder(b))
	}
	fmt.Fprintln(w, "\t\t\t\t\t\t\nworker\tversion\tjobs\tholds\tmemory\t\t")
	for _, one := range s.Workers {
		memory := "any"
		if one.Memory > 0 {
			memory = progress.Bytes.Format(one.Memory)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t\t\n", one.Name, one.Version, one.Jobs, one.Held, memory)
	}
	return w.Flush()
}

// holder says who runs a batch, into which folder.
func holder(b cluster.BatchStatus) string {
	text := fmt.Sprintf("%s for %s, since %s", printable.Text(b.Runner), printable.Text(b.Folder), printable.Text(b.Since))
	if b.Heard >= 0 {
		text += fmt.Sprintf(", heard of %.0f s ago", b.Heard)
	}
	return text
}
