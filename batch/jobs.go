package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/resources"
)

// addJobsOf adds the jobs of an entry.
func (r *reader) addJobsOf(e entry) {
	job := Job{Where: e.where}
	r.entryRefusals = nil
	r.readLimits(e, &job)
	o := &job.Options
	for _, p := range allOptions() {
		p.read(r, e, o)
	}
	if len(o.Fair) > 0 && (o.Pattern != "" || o.Passing != "") {
		r.add(e.fields["fair"].where,
			"fair cannot be used with pattern and passing: under fairness there is one counterexample")
	}
	if o.Pattern != "" && o.Passing != "" {
		r.add(e.fields["pattern"].where,
			"pattern and passing each choose the counterexample; give one of them")
	}
	r.readYesOrNo(e, "keep_models", &job.KeepModel)
	var models []string
	model, isGiven := e.fields["model"]
	switch {
	case !isGiven:
		r.add(e.where, "model is missing; name the file that is checked")
	case !model.wrong:
		models = r.models(model)
	}
	r.readStates(e, &job, models)
	r.readSource(e, &job)
	r.readLanes(e, &job, models)
	r.readRelabelling(e, &job)
	r.readConfig(e, &job, models)
	r.checkFrontEnd(e, &job, models)
	properties := r.propertiesOf(e, &job)
	r.addDrafts(e, job, models, properties)
}

// addDrafts adds a job for each pair of the models and properties of an entry; job has what these jobs
// share.
func (r *reader) addDrafts(e entry, job Job, models []string, properties []givenProperty) {
	numJobs := len(models) * len(properties)
	if inputfile.IsUntrusted(r.ctx) && len(r.drafts)+numJobs > mostUntrustedJobs {
		r.add(e.where,
			"with this entry there are more than %d jobs, the most that are read here; use the command inev", mostUntrustedJobs)
		return
	}
	for _, model := range models {
		for _, p := range properties {
			d := draft{Job: r.jobAbout(job, model, p)}
			d.hasOwnName = job.Name != "" && numJobs == 1
			d.Name = nameOf(&d.Job, p, len(models), len(properties))
			r.drafts = append(r.drafts, d)
		}
	}
}

// jobAbout returns the job of an entry about one model and one property.
func (r *reader) jobAbout(job Job, model string, p givenProperty) Job {
	job.Model = model
	job.Path = r.pathOf(model)
	job.Formula = p.text
	job.Modal = p.isModal
	job.Automaton = p.automaton
	job.Refused = p.refused
	if len(r.entryRefusals) > 0 { // one mistake is enough; the next one is found when the first is mended
		job.Refused = r.entryRefusals[0]
	}
	if job.TLA != nil {
		job.TLA = &File{
			File:   job.TLA.File,
			Path:   job.TLA.Path,
			Digest: p.digest,
		}
	} else {
		job.TLA = r.specificationOfMade(job)
	}
	job.Tags = slices.Clone(job.Tags)
	if r.folder {
		job.Where = p.where
	}
	return job
}

// nameInFile returns the text by which names of jobs mention the formula of a file: the name of the
// file if the text is long or begins with definitions. It returns "" if names are to have the text
// itself.
func nameInFile(text, file string) string {
	isLong := utf8.RuneCountInString(text) > mostShown
	if isLong || modal.BeginsWithDefinitions(text) {
		return file
	}
	return ""
}

// nameOf returns the name of a job about a property, whose entry has these numbers of models and
// formulas. j.Name is still the name of the entry.
func nameOf(j *Job, p givenProperty, models, formulas int) string {
	formula := shownFormula(j.propertyBy(cmp.Or(p.name, j.Formula)))
	switch {
	case j.Name == "":
		return j.Model + ": " + formula
	case models*formulas <= 1:
		return j.Name
	case models == 1:
		return j.Name + ": " + formula
	case formulas == 1:
		return j.Name + ": " + j.Model
	default:
		return j.Name + ": " + j.Model + ": " + formula
	}
}

// mostUntrustedJobs bounds the jobs of a manifest that nobody has asked to run, see
// [inputfile.Untrusted]: the number of jobs is the product of the files that a glob matches and the
// formulas in a file.
const mostUntrustedJobs = 20_000

// mostShown is the largest length of a formula in the name of a job.
const mostShown = 100

// shownFormula shortens a formula for the name of a job.
func shownFormula(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > mostShown {
		text = string([]rune(text)[:mostShown-1]) + "…"
	}
	return text
}

// readLimits reads the fields of an entry that are about the job itself, not about the
// analysis.
func (r *reader) readLimits(e entry, job *Job) {
	r.read(e, "name", stored(&job.Name, parseName))
	r.read(e, "expect", stored(&job.Expect, parseVerdict))
	r.readMargin(e, job)
	r.read(e, "timeout", stored(&job.Timeout, parseTimeout))
	r.read(e, "memory", stored(&job.Memory, resources.ParseSize))
	r.read(e, "priority", stored(&job.Priority, parsePriority))
	r.readTags(e, job)
}

// stored returns a function that parses a text and, unless that fails, stores the result.
func stored[T any](result *T, parse func(text string) (T, error)) func(text string) error {
	return func(text string) error {
		parsed, err := parse(text)
		if err != nil {
			return err
		}
		*result = parsed
		return nil
	}
}

func parseName(text string) (string, error) {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", errors.New("has control characters or line breaks; leave them out")
	}
	return text, nil
}

func parseVerdict(text string) (string, error) {
	switch Status(text) {
	case Violated, Satisfied:
		return text, nil
	}
	return "", fmt.Errorf("%q is not a verdict; write violated or satisfied", text)
}

func parseTimeout(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s is not a duration above zero, such as 90s, 5m or 1h30m", text)
	}
	return d, nil
}

func parsePriority(text string) (int, error) {
	priority, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number; jobs with a larger one come first, and 0 is the default", text)
	}
	return priority, nil
}

// readTags reads the tags of a job. A tag that is listed twice counts once.
func (r *reader) readTags(e entry, job *Job) {
	field := e.fields["tags"]
	for _, tag := range words(field) {
		isWord := tag != "" && !strings.ContainsFunc(tag, unicode.IsSpace)
		switch {
		case !isWord:
			r.add(field.where, "tags: %q is not one word", tag)
		case !slices.Contains(job.Tags, tag):
			job.Tags = append(job.Tags, tag)
		}
	}
}

// readMargin reads the expectations about bounds and faults.
func (r *reader) readMargin(e entry, job *Job) {
	r.read(e, "bound", func(text string) error {
		bound, err := strconv.Atoi(text)
		job.Bound = bound
		if err != nil || bound < 1 {
			return fmt.Errorf("%q is not a number above 0; write the largest number of transitions that is expected", text)
		}
		return nil
	})
	f, isGiven := e.fields["faults"]
	if !isGiven || f.wrong {
		return
	}
	for i, text := range f.texts() {
		r.readFault(f.at(i), text, job)
	}
}

// readFault reads the least number of some fault actions that a violation should take: LOSS: 2.
func (r *reader) readFault(where Position, text string, job *Job) {
	patterns, least, isFault := splitFault(text)
	if !isFault {
		r.add(where,
			"faults: %q is not a pattern with a number, such as LOSS: 2; the number is the least that a violation should take, and 0 allows any", strings.TrimSpace(text))
		return
	}
	if _, err := parsePattern(r.ctx, patterns); err != nil {
		r.addError(where, "faults", err)
		return
	}
	if slices.Contains(job.Options.Faults, patterns) {
		r.add(where, "faults: %s is given twice; leave one out", patterns)
		return
	}
	job.Options.Faults = append(job.Options.Faults, patterns)
	job.LeastFaults = append(job.LeastFaults, least)
}

// splitFault splits "LOSS: 2" into the patterns and the number after the last colon or equals sign; isFault
// is false if there is no such number, or a negative one.
func splitFault(text string) (patterns string, least int, isFault bool) {
	separator := strings.LastIndexAny(text, ":=")
	if separator < 0 {
		return "", 0, false
	}
	least, err := strconv.Atoi(strings.TrimSpace(text[separator+1:]))
	if err != nil || least < 0 {
		return "", 0, false
	}
	return strings.TrimSpace(text[:separator]), least, true
}

// readFair reads the assumptions under which runs count. An assumption in TLA+, such as
// WF_vars(Next), is kept as text, since only the reader of the specification knows its actions.
func (r *reader) readFair(e entry, o *Options) {
	f, isGiven := e.fields["fair"]
	if !isGiven || f.wrong {
		return
	}
	texts := f.list
	if texts == nil {
		texts = assumptions(f.text)
	}
	_, namesSpecification := e.fields["tla"]
	isSpecification := strings.EqualFold(filepath.Ext(e.fields["model"].text), ".tla")
	var parsed []*actl.Assumption
	for i, text := range texts {
		if (namesSpecification || isSpecification) && liveness.IsFairness(text) {
			o.Fair = append(o.Fair, strings.TrimSpace(text))
			continue
		}
		a, err := actl.ParseAssumption(r.ctx, text)
		if err != nil {
			r.addError(f.at(i), "fair: "+text, err)
			continue
		}
		parsed = append(parsed, a)
		o.Fair = append(o.Fair, a.String())
	}
	if err := actl.Agree(parsed); err != nil {
		r.addError(f.where, "fair", err)
	}
}

// assumptions splits a text at semicolons that are followed by an assumption: other semicolons
// belong to patterns.
func assumptions(text string) []string {
	var all []string
	begin := 0
	for i, c := range text {
		if c != ';' {
			continue
		}
		next := strings.TrimSpace(text[i+1:])
		if actl.BeginsAssumption(next) {
			all = append(all, strings.TrimSpace(text[begin:i]))
			begin = i + 1
		}
	}
	return append(all, strings.TrimSpace(text[begin:]))
}

// read calls parse with the text of the field of this name if the entry has it, and adds an error of
// parse as a mistake.
func (r *reader) read(e entry, name string, parse func(text string) error) {
	f, isGiven := e.fields[name]
	if !isGiven || f.wrong {
		return
	}
	if err := parse(f.text); err != nil {
		r.addError(f.where, name, err)
	}
}

// addError adds a mistake about a field, with a caret if it is a syntax error.
func (r *reader) addError(where Position, name string, err error) {
	r.mistakes = append(r.mistakes, mistakeOf(where, name, err))
}

// mistakeOf converts an error about a field to a mistake.
func mistakeOf(where Position, name string, err error) Mistake {
	// Some errors begin with the name of the field, as in "formula, column 3: …".
	withoutName := strings.TrimPrefix(err.Error(), name+", ")
	m := Mistake{Where: where, Message: name + ": " + withoutName}
	var syntax *actl.SyntaxError
	if errors.As(err, &syntax) {
		m.Message = name + ": " + syntax.Problem()
		m.Caret = syntax.Caret()
		if syntax.File != "" { // the file may be a library
			m.Where = Position{syntax.File, syntax.Line}
		}
	}
	return m
}

// parsePattern reads the steps that a counterexample must do, in the syntax of the steps of a
// property.
func parsePattern(ctx context.Context, text string) (*actl.Formula, error) {
	return actl.Parse(ctx, "Inev("+text+")")
}

// load reads the specification of a job.
func (j *Job) load(ctx context.Context) (*liveness.Specification, error) {
	load := liveness.Load
	if j.isMade() {
		load = liveness.LoadMade
	}
	return load(ctx, j.TLA.Path, j.specification().Config, nil)
}
