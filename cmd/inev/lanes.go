package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

func lanes() cli.Flag {
	return value(resultFlags, lanesFlag, "who acts, for sequence charts: `LANES` is a /regexp/ that captures the lane, or from and to; or a .tsv of LABEL, FROM, TO")
}

// readLanes returns the lanes that --lanes names, nil if it names none.
func (j *job) readLanes() (*view.Lanes, error) {
	text := j.flag(lanesFlag)
	switch {
	case !j.c.IsSet(lanesFlag):
		return nil, nil
	case view.IsLanesPattern(text):
		lanes, err := view.ParseLanes(text)
		if err != nil {
			return nil, j.refuse("--lanes: %v", err)
		}
		return lanes, nil
	case strings.HasPrefix(text, "/") && filepath.Ext(text) == "", text == "":
		return nil, j.refuse("--lanes: %q is neither a /regular expression/ between two slashes nor the name of a .tsv", text)
	}
	content, err := inputfile.Read(j.ctx, text, lanesLimit)
	if err != nil {
		return nil, inputfile.FileError(text, err)
	}
	return view.ReadLanes(j.ctx, bytes.NewReader(content), text)
}

// isJust reports whether only just runs are asked about.
func (j *job) isJust() bool {
	return slices.ContainsFunc(j.options.Fair, func(a *actl.Assumption) bool { return a.Kind() == actl.Just })
}

// readComponents reads the lanes that say, for justness, which components actions need.
func (j *job) readComponents() (err error) {
	has := func(flag, category string) bool {
		return slices.ContainsFunc(j.c.Command.Flags, func(f cli.Flag) bool {
			of, is := f.(*cli.StringFlag)
			return is && of.Name == flag && of.Category == category
		})
	}
	just := j.isJust()
	switch {
	case j.flag(lanesFlag) == autoLanes:
		return nil // and nothing is concluded from them
	case !has(blockingFlag, methodFlags):
		return nil // what else is said of --fair there
	case !just && has(lanesFlag, methodFlags) && j.c.IsSet(lanesFlag):
		return j.refuse("--lanes names the components that actions need; add --fair just")
	case !just:
		return nil
	}
	if j.lanes, err = j.readLanes(); err != nil {
		return err
	}
	if j.lanes == nil {
		return j.refuse("--fair just needs --lanes LANES, the components that each action needs")
	}
	for i, a := range j.options.Fair {
		j.options.Fair[i] = a.On(j.lanes.Components)
	}
	return nil
}

// aboutComponents warns if justness is assumed, and the components of actions do not fit a model.
func (j *job) aboutComponents(m *lts.LTS) error {
	if !j.isJust() {
		return nil
	}
	fair, _, err := actl.BindAssumptions(j.ctx, j.options.Fair, m.Alphabet())
	if err != nil {
		return err
	}
	misfit, err := fair.Misfit(j.ctx, m)
	if misfit != "" {
		j.warn([]string{misfit})
	}
	return err
}

// autoLanes is what --lanes takes for lanes to be proposed.
const autoLanes = "auto"

// proposeLanes writes a guess who acts, to be read, corrected and handed back: nothing else is done.
func (j *job) proposeLanes() error {
	if path := j.flag("o"); path != "" {
		if err := checkOutput(path, ".tsv"); err != nil {
			return err
		}
	}
	m, err := j.readModel()
	if err != nil {
		return err
	}
	_, table := view.OfferLanes(labelsOf(m))
	if table == "" {
		return fmt.Errorf("--lanes auto: the labels of %s show no lanes; inev labels lists the labels, and a table of LABEL, FROM, TO says who acts", j.options.File)
	}
	j.note("these lanes are a guess, by how labels are written; read and correct them, and hand them back with --lanes FILE.tsv")
	return j.print(func(w io.Writer) error {
		_, err := io.WriteString(w, table)
		return err
	})
}

// chart returns the counterexample as a sequence chart, nil if no lanes are named and
// where there is no counterexample.
func (j *job) chart(e *explain.Explanation) *view.Chart {
	if j.lanes == nil {
		return nil
	}
	c, err := view.NewChart(e, j.lanes, view.ChartOptions{Full: j.c.Bool("full"), Hide: j.hide})
	if err != nil {
		return nil // the property holds
	}
	return c
}

// aboutLanes notes what does not fit between the lanes and the labels of a model.
func (j *job) aboutLanes(e *explain.Explanation) {
	if j.lanes == nil {
		return
	}
	if text := j.lanes.Unmatched(textsOf(e)); text != "" {
		j.warn([]string{text})
	}
}

// textsOf returns the labels of a model.
func textsOf(e *explain.Explanation) []string {
	var texts []string
	for _, text := range e.LTS().Alphabet().All() {
		texts = append(texts, text)
	}
	return texts
}
