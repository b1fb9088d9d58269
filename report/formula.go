package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/property/values"
)

// notation is a formula in one of the languages that it can be written in.
type notation struct {
	name  string // for programs
	title string // for people
	text  string
	notes []string // what the language does not express
}

// Notation is a property that is shown as it is written, and in the languages of other
// tools where it is modal, too: an *actl.Formula as far as that goes without a model, an
// actl.Bound by the labels of its model. An *ltl.Formula is in one of those languages.
type Notation interface {
	Kind() string
	String() string
}

// modal is a property that branching logics express.
type modal interface {
	ACTL() string
	MCL(context.Context) (text string, notes []string, err error)
	MuCalculus(context.Context) (text string, notes []string, err error)
}

// notationsOf fails if the formula would be too long in one of them, or if ctx is done.
func notationsOf(ctx context.Context, f Notation) ([]notation, error) {
	f = notationOf(f)
	if about, is := f.(interface{ StateAtoms() []*values.Atom }); is && len(about.StateAtoms()) > 0 {
		name := "inev"
		if _, is := f.(*ltl.Formula); is {
			name = "ltl"
		}
		note := "over transitions alone, MCL and the mu-calculus have no atoms about values of states"
		all := []notation{{name, f.Kind(), f.String(), []string{note}}}
		if written, is := f.(*actl.Formula); is {
			return momentsIn(ctx, written, all)
		}
		return all, nil
	}
	branching, is := f.(modal)
	if !is {
		return []notation{{"ltl", f.Kind(), f.String(), nil}}, nil
	}
	mcl, mclNotes, err := branching.MCL(ctx)
	if err != nil {
		return nil, err
	}
	mu, muNotes, err := branching.MuCalculus(ctx)
	if err != nil {
		return nil, err
	}
	all := []notation{{"inev", f.Kind(), f.String(), nil}}
	if text := branching.ACTL(); text != "" {
		all = append(all, notation{"actl", "ACTL (De Nicola and Vaandrager)", text, nil})
	}
	if written, is := f.(*actl.Formula); is {
		text, err := ltl.Of(written).Text(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, notation{"ltl", "LTL, which inev reads, too", text, nil})
	}
	if _, is := f.(*actl.FullyFair); is {
		all[0].notes = []string{"ACTL, as inev reads it, cannot say this: it takes negation"}
	}
	return append(all, notation{"mcl", "MCL (CADP)", mcl, mclNotes}, notation{"mu_calculus", "mu-calculus (mCRL2)", mu, muNotes}), nil
}

// momentsIn adds a pattern with atoms about values of states in linear temporal logic, if it can
// be written so in few words.
func momentsIn(ctx context.Context, f *actl.Formula, all []notation) ([]notation, error) {
	written, can := ltl.OfMoments(f)
	if !can {
		all[0].notes = append(all[0].notes, "inev does not write it as linear temporal logic: of patterns with such atoms it writes those without a scope, and precedence of one step")
		return all, nil
	}
	text, err := written.Text(ctx)
	if err != nil {
		return nil, err
	}
	return append(all, notation{"ltl", "LTL, which inev reads, too", text, nil}), nil
}

// writeNotationsText never breaks a formula into lines, so that it can be copied.
func writeNotationsText(ctx context.Context, w io.Writer, f Notation, o Options) error {
	all, err := notationsOf(ctx, f)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	for i, n := range all {
		if i > 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "%s\n    %s\n", n.title, printable.Text(n.text))
		for _, note := range n.notes {
			if err := ctx.Err(); err != nil {
				return err
			}
			before := "    note: "
			for _, line := range wrapped(printable.Text(note), max(LeastWidth/2, o.width()-len(before))) {
				fmt.Fprintf(b, "%s%s\n", before, line)
				before = strings.Repeat(" ", len(before))
			}
		}
	}
	writeRunsText(b, f)
	return b.Flush()
}

func writeNotationsMarkdown(ctx context.Context, w io.Writer, f Notation) error {
	all, err := notationsOf(ctx, f)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	for i, n := range all {
		if i > 0 {
			fmt.Fprintln(b)
		}
		text := printable.Text(n.text)
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "### %s\n\n%s\n%s\n%s\n", n.title, fence, text, fence)
		for j, note := range n.notes {
			if j == 0 {
				fmt.Fprintln(b)
			}
			fmt.Fprintf(b, "- %s\n", mdtext.Code(note))
		}
	}
	writeRunsMarkdown(b, f)
	return b.Flush()
}
