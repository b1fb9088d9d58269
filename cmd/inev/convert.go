//go:build !js

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
)

// convertCommand returns inev convert, which writes a model in another format.
func convertCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "write a model in another format",
		ArgsUsage: "MODEL [FORMULA]",
		Description: `The format depends on the suffix of the file that -o names:

  .aut      the model in one uniform layout, with all labels quoted
  .aut.gz   the same, compressed by gzip
  .aut.zst  the same, compressed by zstd
  .clts     the same in a form of inev's own, in less than 4 bytes a transition
            and read several times as fast; transitions are sorted by source
  .lts      for mCRL2 (2024 and later), with the values of states
  .fsm      for mCRL2 and LTSmin, with the values of states
  .dot      a picture of the model for Graphviz
  .autx     the reachable part for CLEAR's visualiser, with the classes of
            its transitions and the neighbourhoods for FORMULA; CLEAR itself
            finds those of --neighbourhood some

MODEL is an .aut file, plain or compressed, a .clts file, an .autx file of CLEAR, an
.lts or .fsm file of mCRL2, a state graph of TLC (made by -dump dot,actionlabels) or,
if the tools of CADP are installed, a .bcg file.`,
		Flags: slices.Concat([]cli.Flag{
			value(resultFlags, "o",
				"write the model to `FILE`.aut, .aut.gz, .aut.zst, .clts, .lts, .fsm, .dot or .autx"),
			value(resultFlags, writeStates,
				"write values of states to `FILE`.tsv, for --states"),
		}, formulaInput(), method(), modelRun()),
		Action: action(p, convert),
	},
		`inev convert m.aut -o m.aut.gz`,
		`inev convert m.aut -o m.clts`,
		`inev convert m.fsm -o m2.aut --write-states m2.tsv`,
		`inev convert m.aut -o m.lts`,
		`inev convert m.aut -o m.dot`,
		`inev convert m.aut 'Inev(REQ, ACK)' -o m.autx`)
}

// writeStates is the flag by which values of states are written beside a model.
const writeStates = "write-states"

// convert carries out inev convert. It warns of whatever the model has and the format cannot hold.
func convert(j *job) error {
	path := j.flag("o")
	if path == "" {
		return j.refuse("-o FILE missing; its suffix determines the format")
	}
	if err := checkOutput(path, ".aut", ".aut.gz", ".aut.zst", ".clts", ".lts", ".fsm", ".dot", ".autx"); err != nil {
		return err
	}
	if writesAutx(path) {
		return convertToAutx(j, path)
	}
	if err := j.checkArtefacts([]artefact{{flag: writeStates, suffix: ".tsv"}}); err != nil {
		return err
	}
	if err := refusePropertyFlags(j); err != nil {
		return err
	}
	m, err := j.readModel()
	if err != nil {
		return err
	}
	j.warn(j.options.Warnings)
	if err := convertValues(j, path); err != nil {
		return err
	}
	if j.source.Suffixes[0] == ".autx" {
		j.warn([]string{path + ": its format has no place for colours and kinds, which are left out"})
	}
	if strings.HasSuffix(path, ".dot") {
		return j.save(path, func(w io.Writer) error {
			g, err := view.OfModel(m, j.options.File, view.Options{})
			if err != nil {
				return err
			}
			return draw.DOT(w, g, draw.Options{})
		})
	}
	if m.Before() > 0 && j.flag(writeStates) == "" {
		j.warn([]string{fmt.Sprintf("%s: the format has only one initial state, so state %d was added, with transitions Init to the %d initial states; other programs take Init for an action. Also write a table by --%[5]s, and read the model with --%[4]s",
			path, m.Initial(), len(m.Begin()), tableOfStates, writeStates)})
	}
	return saveModel(&j.call, m, j.options.States, path)
}

// refusePropertyFlags fails if the command names a property, though the format has no classes in it.
func refusePropertyFlags(j *job) error {
	for _, name := range []string{"formula", "neighbourhood", "unfold", "scc", "queue"} {
		if j.c.IsSet(name) {
			return j.refuse("--%s needs -o FILE.autx", name)
		}
	}
	if slices.Contains(j.expectedOperands(), "FORMULA") {
		return j.refuse("FORMULA is possible only with -o FILE.autx: no other format contains classes")
	}
	return nil
}

// convertToAutx writes the classes for a property.
func convertToAutx(j *job, path string) error {
	for _, name := range []string{tableOfStates, writeStates} {
		if j.c.IsSet(name) {
			return j.refuse("--%s cannot be used with -o FILE.autx", name)
		}
	}
	if j.flag("formula") == "" && !slices.Contains(j.expectedOperands(), "FORMULA") {
		return j.refuse("FORMULA missing; the colours in an .autx file are the classes for a property")
	}
	a, err := j.analyse()
	if err != nil {
		return err
	}
	return j.save(path, func(w io.Writer) error {
		return writeAutx(&j.call, w, a.Classification, a.Unfolding != nil)
	})
}

// convertValues writes the values of states to a table if that is asked for, and warns if they are lost.
func convertValues(j *job, path string) error {
	values := j.options.States
	table := j.flag(writeStates)
	switch {
	case values == nil && table == "":
		return nil
	case values == nil:
		return fmt.Errorf("%s: the model has no values of states for --%s", j.options.File,
			writeStates)
	case table != "":
		return j.save(table, values.WriteTSV)
	case !isValued(path):
		j.warn([]string{fmt.Sprintf("%s: the format cannot contain values of states; write them by --%s FILE.tsv, or write -o FILE.lts or FILE.fsm, which contain them", path, writeStates)})
	}
	return nil
}
