package main

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/lts"
)

func (p *program) convert() *cli.Command {
	return page(&cli.Command{
		Name:      "convert",
		Usage:     "write a model in another format",
		ArgsUsage: "MODEL",
		Description: `The suffix of the file that -o names says what is written:

  .aut      the model in one uniform layout, with all labels quoted
  .aut.gz   the same, compressed by gzip
  .aut.zst  the same, compressed by zstd
  .dot      a picture of the model for Graphviz

MODEL may be an .aut file, plain or compressed, or a .bcg, .lts or .fsm file
where the tools of CADP or mCRL2 are installed.`,
		Flags: slices.Concat([]cli.Flag{
			value(resultFlags, "o", "write the model to a `FILE`.aut, .aut.gz, .aut.zst or .dot"),
		}, modelInput(), runControl()),
		Action: p.action(convert),
	},
		`inev convert m.aut -o m.aut.gz`,
		`inev convert m.aut -o m.dot`)
}

func convert(j *job) error {
	path := j.flag("o")
	if path == "" {
		return j.refuse("-o FILE missing; it says where to write, and its suffix what")
	}
	if err := checkOutput(path, ".aut", ".aut.gz", ".aut.zst", ".dot"); err != nil {
		return err
	}
	m, err := j.readModel()
	if err != nil {
		return err
	}
	j.warn(j.options.Warnings)
	if strings.HasSuffix(path, ".dot") {
		return j.save(path, func(w io.Writer) error {
			return diagram.ModelDOT(w, m, j.options.File, diagram.Options{})
		})
	}
	var warnings []string
	err = j.save(path, func(w io.Writer) (err error) {
		warnings, err = writeModel(w, m, path)
		return err
	})
	if err != nil {
		return err
	}
	j.warn(warnings)
	return nil
}

// writeModel writes a model as .aut, compressed as the suffix of path says.
func writeModel(w io.Writer, m *lts.LTS, path string) (warnings []string, err error) {
	compression, err := aut.CompressionOf(path)
	if err != nil {
		return nil, err
	}
	compressed, err := aut.Compress(w, compression)
	if err != nil {
		return nil, err
	}
	if warnings, err = aut.Write(compressed, m); err != nil {
		return nil, err
	}
	return warnings, compressed.Close()
}
