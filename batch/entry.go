package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/resources"
)

// field is what an entry says about one thing.
type field struct {
	where Place
	text  string
	// list holds the items where the manifest has a list, and places where each stands.
	list   []string
	places []Place
	// wrong tells of what is no text at all, and has been noted as a mistake.
	wrong bool
}

// entry is a part of a manifest that asks for jobs.
type entry struct {
	where  Place
	fields map[string]field
}

// fieldNames are the fields of an entry.
func fieldNames() []string {
	names := []string{"model", "formula", "formula_file", "hoa", "name", "expect", "bound", "faults", "timeout", "memory", "priority", "tags", "states", "source", "keep_models"}
	for _, p := range allOptions() {
		names = append(names, string(p.name))
	}
	return names
}

// waysToSay are the fields of which one gives the property.
var waysToSay = []string{"formula", "formula_file", "hoa"}

// fieldOf returns the field that is written so, which may be as a flag is.
func fieldOf(written string) (name string, known bool) {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(written)), "-", "_")
	for _, f := range fieldNames() {
		if f == name {
			return f, true
		}
	}
	return name, false
}

func (r *reader) unknownField(where Place, written string) {
	hint := meant(strings.ReplaceAll(written, "-", "_"), fieldNames())
	if hint == "" {
		hint = " the fields are " + strings.Join(fieldNames(), ", ")
	}
	r.add(where, "unknown field %q;%s", written, hint)
}

// with returns the entry with defaults for what it does not say.
func (e entry) with(defaults map[string]field) entry {
	merged := map[string]field{}
	for name, f := range defaults {
		merged[name] = f
	}
	for name, f := range e.fields {
		if name == "tags" {
			f.list = append(append([]string(nil), words(merged[name])...), words(f)...)
		}
		merged[name] = f
	}
	// Who names one way to give the property does not mean the others.
	said := slices.DeleteFunc(slices.Clone(waysToSay), func(way string) bool { _, is := e.fields[way]; return !is })
	for _, way := range waysToSay {
		if len(said) > 0 && !slices.Contains(said, way) {
			delete(merged, way)
		}
	}
	return entry{e.where, merged}
}

// words returns the items of a list, which may be one text.
func words(f field) []string {
	if f.list != nil {
		return f.list
	}
	return strings.FieldsFunc(f.text, func(c rune) bool { return c == ';' || unicode.IsSpace(c) })
}

// expand adds the jobs that an entry asks for.
func (r *reader) expand(e entry) {
	job := Job{Where: e.where}
	r.readLimits(e, &job)
	r.readOptions(e, &job.Options)
	r.readYesOrNo(e, "keep_models", &job.KeepModel)
	var models []string
	if f, said := e.fields["model"]; said && !f.wrong {
		models = r.models(f)
	} else if !said {
		r.add(e.where, "model is missing; name the file that is checked")
	}
	r.readBeside(e, &job, models)
	r.readLanes(e, &job)
	r.readConfig(e, &job, models)
	formulas := r.formulasOf(e)
	several := len(models)*len(formulas) > 1
	for _, model := range models {
		for _, f := range formulas {
			d := draft{Job: job}
			d.Model, d.Path, d.Formula, d.Automaton, d.Refused = model, r.pathOf(model), f.text, f.automaton, f.refused
			d.Tags = append([]string(nil), job.Tags...)
			shown := shownFormula(d.Property())
			switch {
			case job.Name == "":
				d.Name = model + ": " + shown
			case !several:
				d.given = true
			case len(models) == 1:
				d.Name += ": " + shown
			case len(formulas) == 1:
				d.Name += ": " + model
			default:
				d.Name += ": " + model + ": " + shown
			}
			r.drafts = append(r.drafts, d)
		}
	}
}

// shownFormula returns a formula as part of a name.
func shownFormula(text string) string {
	const most = 100
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// readLimits reads what an entry says about its jobs as such.
func (r *reader) readLimits(e entry, job *Job) {
	r.read(e, "name", func(text string) error {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return errors.New("has control characters or line breaks; leave them out")
		}
		job.Name = text
		return nil
	})
	r.read(e, "expect", func(text string) error {
		switch Status(text) {
		case Violated, Satisfied:
			job.Expect = text
			return nil
		}
		return fmt.Errorf("%q is no verdict; write violated or satisfied", text)
	})
	r.readMargin(e, job)
	r.read(e, "timeout", func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return fmt.Errorf("%s is not a duration above zero, such as 90s, 5m or 1h30m", text)
		}
		job.Timeout = d
		return nil
	})
	r.read(e, "memory", func(text string) (err error) {
		job.Memory, err = resources.ParseSize(text)
		return err
	})
	r.read(e, "priority", func(text string) (err error) {
		if job.Priority, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("%s is no whole number; jobs with a larger one come first, and 0 is the default", text)
		}
		return nil
	})
	seen := map[string]bool{}
	for _, tag := range words(e.fields["tags"]) {
		if strings.ContainsFunc(tag, unicode.IsSpace) || tag == "" {
			r.add(e.fields["tags"].where, "tags: %q is not one word", tag)
		} else if !seen[tag] {
			seen[tag] = true
			job.Tags = append(job.Tags, tag)
		}
	}
}

// readOptions reads the options.
func (r *reader) readOptions(e entry, o *Options) {
	for _, p := range allOptions() {
		p.read(r, e, o)
	}
	if len(o.Fair) > 0 && (o.Pattern != "" || o.Decisions != "") {
		r.add(e.fields["fair"].where, "fair does not go with pattern and decisions: under fairness there is one counterexample")
	}
	if o.Pattern != "" && o.Decisions != "" {
		r.add(e.fields["pattern"].where, "pattern and decisions each choose the counterexample; give one of them")
	}
}

// readFair reads under which assumptions runs count.
func (r *reader) readFair(e entry, o *Options) {
	f, said := e.fields["fair"]
	if !said || f.wrong {
		return
	}
	texts := f.list
	if texts == nil {
		texts = assumptions(f.text)
	}
	var all []*actl.Assumption
	for i, text := range texts {
		a, err := actl.ParseAssumption(r.ctx, text)
		if err != nil {
			where := f.where
			if i < len(f.places) {
				where = f.places[i]
			}
			r.addError(where, "fair: "+text, err)
			continue
		}
		all = append(all, a)
		o.Fair = append(o.Fair, a.String())
	}
	if err := actl.Agree(all); err != nil {
		r.addError(f.where, "fair", err)
	}
}

// assumptions divides a text, as a table has it, at the semicolons behind which an
// assumption begins: others are parts of patterns.
func assumptions(text string) []string {
	var all []string
	from := 0
	for at, c := range text {
		if c != ';' {
			continue
		}
		next := strings.TrimSpace(text[at+1:])
		if actl.BeginsAssumption(next) {
			all = append(all, strings.TrimSpace(text[from:at]))
			from = at + 1
		}
	}
	return append(all, strings.TrimSpace(text[from:]))
}

// read reads a field where the entry has it.
func (r *reader) read(e entry, name string, parse func(text string) error) {
	f, said := e.fields[name]
	if !said || f.wrong {
		return
	}
	if err := parse(f.text); err != nil {
		r.addError(f.where, name, err)
	}
}

// addError notes an error about a field, with a caret where it is one about syntax.
func (r *reader) addError(where Place, name string, err error) {
	r.list = append(r.list, mistakeOf(where, name, err))
}

// mistakeOf returns an error about a field as a mistake.
func mistakeOf(where Place, name string, err error) Mistake {
	m := Mistake{Where: where, Message: name + ": " + err.Error()}
	var syntax *actl.SyntaxError
	if errors.As(err, &syntax) {
		m.Message = fmt.Sprintf("%s: expected %s, found %s (column %d)", name, syntax.Expected, syntax.Found,
			utf8.RuneCountInString(syntax.Text[:syntax.Offset])+1)
		m.Caret = syntax.Caret()
		if syntax.File != "" { // which may be a library
			m.Where = Place{syntax.File, syntax.Line}
		}
	}
	return m
}

// parsePattern reads the steps that a counterexample is to do; they are written as
// those of a property are.
func parsePattern(ctx context.Context, text string) (*actl.Formula, error) {
	return actl.Parse(ctx, "Inev("+text+")")
}
