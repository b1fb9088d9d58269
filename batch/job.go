package batch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/explain/setting"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/property"
)

// Job is one question: whether a model has a property and, if not, why. The answer depends only on
// the content of the files that the job names.
type Job struct {
	// Name is the name of the job. Names are unique in a batch: if the manifest gives none, the
	// name consists of model and formula.
	Name string `json:"name"`
	// Model is the model's path as outputs show it, relative to the manifest and with slashes; Path
	// is the path by which the file is opened.
	Model string `json:"model"`
	Path  string `json:"path"`
	// Formula is the text of the property, or the name of its automaton. If the file with the
	// formula cannot be read, it is the name of that file.
	Formula string `json:"formula"`
	// Modal reports that Formula is in MCL or the mu-calculus, and no property of runs. Without
	// this field a reader could take some texts for computation tree logic.
	Modal bool `json:"modal,omitzero"`
	// Refused is the mistake, with its position, of a formula or of a file that cannot be read: then
	// the job fails.
	Refused string `json:"refused,omitempty"`
	// Automaton is the file with the automaton that is the property, nil if Formula is a
	// formula.
	Automaton *File `json:"automaton,omitempty"`
	// States is the file with the values of states, nil if the model's own file has them;
	// Source is the specification from which the model was generated, nil if that is not known.
	States *File   `json:"states,omitempty"`
	Source *Source `json:"source,omitempty"`
	// Config is the configuration of TLC, nil for the one next to the specification.
	Config *File `json:"cfg,omitempty"`
	// TLA is the TLA+ specification of the model, a graph that TLC has written; nil if the formula
	// is about the graph alone. Its digest covers all files that the specification reads.
	TLA *File `json:"tla,omitempty"`
	// Lanes is the table of who does which action, nil if Options.Lanes names no file.
	Lanes *File `json:"lanes,omitempty"`
	// Rules are the files with rules that change the labels of the model. The keys are the names of
	// the manifest's fields, such as hide_labels.
	Rules map[string]*File `json:"rules,omitempty"`
	// Expect is the expected verdict, violated or satisfied; "" if the manifest has none, which
	// means satisfied.
	Expect string `json:"expect,omitempty"`
	// Bound is the largest bound that the manifest accepts if the property holds; 0 if it states none.
	// LeastFaults[i] is the least number of Options.Faults[i] that a violation should take.
	Bound       int   `json:"bound,omitempty"`
	LeastFaults []int `json:"least_faults,omitempty"`
	// Tags are words to group jobs by.
	Tags []string `json:"tags,omitempty"`
	// Timeout is the longest time that the job may take, 0 for no limit; Memory is the largest
	// number of bytes that it may take, 0 for no limit of its own.
	Timeout time.Duration `json:"timeout,omitempty"`
	Memory  int64         `json:"memory,omitempty"`
	// Priority orders the jobs: a larger one begins first. The answer does not depend on it.
	Priority int `json:"priority,omitempty"`
	// KeepModel keeps a copy of the model with the results, see [Result.KeptModel]. The answer does not
	// depend on it.
	KeepModel bool `json:"keep_model,omitempty"`
	// Options are the options that a job shares with the command line.
	Options Options `json:"options"`
	// Where is the position in the manifest that defines the job.
	Where Position `json:"where"`
}

// File is a file that a job reads besides its model: an automaton, values of states, lanes, or a
// configuration.
type File struct {
	// File is the path as the manifest has it, and Path is the path by which the file is
	// opened.
	File string `json:"file"`
	Path string `json:"path"`
	// Digest is the SHA-256 of the content that the file had when the manifest was read.
	Digest string `json:"digest"`
}

// digest returns the digest of a file, "" if the job has no such file.
func (f *File) digest() string {
	if f == nil {
		return ""
	}
	return f.Digest
}

// Source is the specification of a model: files and folders.
type Source struct {
	// Paths are the paths by which the files and folders are opened.
	Paths []string `json:"paths"`
	// Digest is the SHA-256 of the contents of the files when the manifest was read.
	Digest string               `json:"digest"`
	files  *specification.Files // the files, if they have been read here; else nil
}

// stored returns the job as journals store it.
func (j Job) stored() []byte {
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // texts, numbers and truth values can be written always
	}
	return text
}

// Property returns the property and its fairness assumptions in the notation of users:
// "Inev(PUT) assuming weak:each".
func (j *Job) Property() string { return j.propertyBy(j.Formula) }

// propertyBy is Property with another name for the formula.
func (j *Job) propertyBy(formula string) string {
	if len(j.Options.Fair) == 0 {
		return formula
	}
	assumed := strings.Join(j.Options.Fair, "; ")
	if j.Options.Blocking != "" {
		assumed += "; " + actl.Blocking.String() + ":" + j.Options.Blocking
	}
	return formula + " assuming " + assumed
}

// Expected returns the expected verdict, satisfied by default.
func (j *Job) Expected() Status {
	if j.Expect == string(Violated) {
		return Violated
	}
	return Satisfied
}

// Position is a position in a file, for messages.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 for the file as a whole
}

// Digest returns the SHA-256 of a file's content, in hexadecimal digits. It fails if the file cannot
// be read, or if ctx is done. Cost O(size of the file).
func Digest(ctx context.Context, path string) (string, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return "", err
	}
	digest, _, err := inputfile.Digest(ctx, path)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", inputfile.FileError(path, err)
	}
	return digest, nil
}

// writeHashed lets write write to w, and returns the SHA-256, in hexadecimal digits, of the bytes that it
// wrote.
func writeHashed(w io.Writer, write func(io.Writer) error) (digest string, err error) {
	h := sha256.New()
	err = write(io.MultiWriter(w, h))
	return hex.EncodeToString(h.Sum(nil)), err
}

// String returns the model and the property. The name of the job comes first, unless it consists of the two:
// "nightly: abp.aut, Inev(PUT) assuming weak:each".
func (j Job) String() string {
	text := printable.Text(j.Model) + ", " + printable.Text(j.Property())
	if j.Refused != "" {
		return printable.Text(j.Name) + ": " + printable.Text(j.Refused)
	}
	if j.Name == j.Model+": "+j.Formula {
		return text
	}
	return printable.Text(j.Name) + ": " + text
}

// Key identifies the job and all that its answer depends on; digest is the SHA-256 of the
// model's bytes, and version names the version of the tool. Cost O(length of the texts).
func (j Job) Key(digest, version string) string {
	inputs := struct {
		Schema, Version, Digest, Formula string
		Automaton, States, Source, Lanes string `json:",omitempty"`
		TLA, ChangesLabels               string `json:",omitempty"`
		Modal                            bool   `json:",omitzero"`
		Options                          Options
	}{
		Schema:  ResultSchema,
		Version: version,
		Digest:  digest,
		Formula: j.Formula,
		Modal:   j.Modal,
		Options: j.Options,
	}
	inputs.Automaton = j.Automaton.digest()
	inputs.States = j.States.digest()
	inputs.TLA = j.TLA.digest()
	inputs.Lanes = j.Lanes.digest()
	inputs.ChangesLabels = j.ChangesLabels()
	if j.Source != nil {
		inputs.Source = j.Source.Digest
	}
	text, err := json.Marshal(inputs)
	if err != nil {
		panic(err) // texts, numbers and truth values can be written always
	}
	return sum(text)
}

func sum(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// folderOf returns the folder for the files of a job, relative to the folder of results and
// with slashes. It depends on the name alone, so that links to it stay right when the model or
// the formula changes, and differs for different names, whichever shard or machine does the
// jobs. It begins with the characters of the name that every file system allows.
func folderOf(name string) string {
	const most = 60
	var slug strings.Builder
	for _, c := range strings.ToLower(name) {
		isPlain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_'
		isHiding := c == '.' && slug.Len() == 0 // a name that begins with a dot is hidden
		switch {
		case slug.Len() >= most:
		case isPlain && !isHiding:
			slug.WriteRune(c)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
	}
	readable := strings.Trim(slug.String(), "-.")
	readable = cmp.Or(readable, "job")
	return jobsName + "/" + readable + "-" + sum([]byte(name))[:folderDigits]
}

// folderDigits is how many hexadecimal digits end the name of a job's folder.
const folderDigits = 10

// Flags returns the flags of inev explain that ask the same question, with the paths by which
// files are opened.
func (j *Job) Flags() []string {
	o := j.withRules(j.Options)
	if j.Lanes != nil {
		o.Lanes = j.Lanes.Path
	}
	if j.Config != nil {
		o.Config = j.Config.Path
	}
	if j.TLA != nil {
		return append(o.Flags(), "--"+options.TLA.Flag(), j.TLA.Path)
	}
	return o.Flags()
}

// question is the question of a job, as far as it can be read before the model.
type question struct {
	asked   // zero if the property is one of a TLA+ specification
	options explain.Options
	lanes   *view.Lanes // nil if the job has none
	faults  [][]actl.Pattern
}

// Question returns the property of a job and the options of its explanation. It fails if the
// property cannot be read or is about states, or if the file of the automaton or of the lanes has changed
// since the manifest was read.
func (j *Job) Question(ctx context.Context) (property.Formula, explain.Options, error) {
	if j.TLA != nil {
		return nil, explain.Options{}, fmt.Errorf("%s is a property of %s, and can be checked only on a state graph of that specification", j.Formula, j.TLA.File)
	}
	q, err := j.question(j.withParts(ctx))
	if err != nil {
		return nil, explain.Options{}, err
	}
	if q.ofStates != nil {
		return nil, explain.Options{}, fmt.Errorf("%s is about states, and not a property of runs", j.Formula)
	}
	return q.ofRuns, q.options, nil
}

// withParts returns the context in which the job is read and done: with [actl.WithParts] if its options say so.
func (j *Job) withParts(ctx context.Context) context.Context {
	if j.Options.Parts {
		return actl.WithParts(ctx)
	}
	return ctx
}

// question reads what a job asks.
func (j *Job) question(ctx context.Context) (q question, err error) {
	if j.TLA == nil {
		q.asked, err = j.formula(ctx)
		if err != nil {
			return question{}, err
		}
	}
	q.options, err = j.Options.forExplanation(ctx)
	if err != nil {
		return question{}, err
	}
	q.lanes, err = j.lanes(ctx)
	if err != nil {
		return question{}, err
	}
	if q.lanes != nil {
		for i, a := range q.options.Fair {
			q.options.Fair[i] = a.On(q.lanes.Components)
		}
	}
	for _, text := range j.Options.Faults {
		f, err := parsePattern(ctx, text)
		if err != nil {
			return question{}, fmt.Errorf("faults: %w", err)
		}
		q.faults = append(q.faults, f.Steps())
	}
	return q, nil
}

// formula reads the formula of a job. It fails if the file of an automaton has changed since
// the manifest was read.
func (j *Job) formula(ctx context.Context) (asked, error) {
	if j.Automaton == nil {
		return readAsked(ctx, j.Formula, j.Modal)
	}
	text, err := j.Automaton.content(ctx, "the automaton has")
	if err != nil {
		return asked{}, err
	}
	f, err := hoa.Read(ctx, bytes.NewReader(text), j.Automaton.File)
	if err != nil {
		return asked{}, err
	}
	return asked{ofRuns: f}, nil
}

// lanes returns who does which action, nil if the job has no lanes. It fails if the table has
// changed since the manifest was read.
func (j *Job) lanes(ctx context.Context) (*view.Lanes, error) {
	switch {
	case j.Lanes != nil:
		text, err := j.Lanes.content(ctx, "the lanes have")
		if err != nil {
			return nil, err
		}
		return view.ReadLanes(ctx, bytes.NewReader(text), j.Lanes.File)
	case j.Options.Lanes != "":
		return view.ParseLanes(j.Options.Lanes)
	}
	return nil, nil
}

// Options say how a job is done, in the words of the command line. The zero value
// is the default.
type Options struct {
	Neighbourhood string `json:"neighbourhood,omitempty"` // all or some
	Unfold        bool   `json:"unfold,omitzero"`
	SCC           string `json:"scc,omitempty"` // auto, gonum or iterative
	SearchLimit   int64  `json:"search_limit,omitzero"`
	Passing       string `json:"passing,omitempty"` // any, fewest or most
	Pattern       string `json:"pattern,omitempty"`
	Lenient       bool   `json:"lenient,omitzero"`
	// Fair are the assumptions under which runs count, in the syntax of [actl.Assumption].
	Fair []string `json:"fair,omitempty"`
	// Lanes says who does which action. It is a regular expression, whose captures are the owner of a
	// label and its receiver, or the name of a table. Blocking are the actions that the environment may
	// refuse on just runs.
	Lanes    string `json:"lanes,omitempty"`
	Blocking string `json:"blocking,omitempty"`
	// Faults are patterns of actions. For each pattern, the least number of such actions in a
	// violation is computed.
	Faults []string `json:"faults,omitempty"`
	// AllowUnmatched accepts steps that no label of the model does, with a warning.
	AllowUnmatched bool `json:"allow_unmatched,omitzero"`
	// Config is the configuration of TLC, "" for the one next to the specification.
	Config string `json:"cfg,omitempty"`
	// Parts lets an action also match multi-actions that it is a part of, see [actl.WithParts].
	Parts bool `json:"parts,omitzero"`
	// HideLabels, Rename and Cut change the labels of the model before all else: rules, or the name of
	// a file with rules.
	HideLabels string `json:"hide_labels,omitempty"`
	Rename     string `json:"rename,omitempty"`
	Cut        string `json:"cut,omitempty"`
	// FrontEnd names what composes a network: cadp or, if it is "", inev. FrontEndOptions are the
	// options of the program that makes the model.
	FrontEnd        string   `json:"front_end,omitempty"`
	FrontEndOptions []string `json:"front_end_option,omitempty"`
}

// option is one of the [Options]: the field of this name in manifests, and the flag of inev
// explain. The zero value means the default. An option that is given with its default value is
// stored as zero, too, so that jobs which are done in the same way are equal.
type option struct {
	name options.Name
	// field points to the field of the options that holds the option: a *bool, *int64, *string or, if it
	// may be given several times, *[]string.
	field func(o *Options) any
	// apply sets the option of the analysis, and returns the text that is kept of the option.
	apply func(ctx context.Context, text string, to *explain.Options) (kept string, err error)
}

// allOptions returns all options, in the order in which errors list the fields.
func allOptions() []option {
	return []option{
		{
			name:  options.Neighbourhood,
			field: func(o *Options) any { return &o.Neighbourhood },
			apply: applySetting(options.Neighbourhood),
		},
		{
			name:  options.Unfold,
			field: func(o *Options) any { return &o.Unfold },
			apply: applySetting(options.Unfold),
		},
		{
			name:  options.SCC,
			field: func(o *Options) any { return &o.SCC },
			apply: applySetting(options.SCC),
		},
		{
			name:  options.SearchLimit,
			field: func(o *Options) any { return &o.SearchLimit },
			apply: applySetting(options.SearchLimit),
		},
		{
			name:  options.Passing,
			field: func(o *Options) any { return &o.Passing },
			apply: applySetting(options.Passing),
		},
		{
			name:  options.Pattern,
			field: func(o *Options) any { return &o.Pattern },
			apply: applyPattern,
		},
		{
			name:  options.Fair,
			field: func(o *Options) any { return &o.Fair },
			apply: applyAssumption(""),
		},
		{
			name:  options.Blocking,
			field: func(o *Options) any { return &o.Blocking },
			apply: applyAssumption(actl.Blocking.String() + ":"),
		},
		{
			name:  options.Lanes,
			field: func(o *Options) any { return &o.Lanes },
			apply: keepText,
		},
		{
			name:  options.Config,
			field: func(o *Options) any { return &o.Config },
			apply: keepText,
		},
		{
			name:  options.Lenient,
			field: func(o *Options) any { return &o.Lenient },
			apply: keepText,
		},
		{
			name:  options.AllowUnmatched,
			field: func(o *Options) any { return &o.AllowUnmatched },
			apply: keepText,
		},
		{
			name:  options.Parts,
			field: func(o *Options) any { return &o.Parts },
			apply: keepText,
		},
		{
			name:  options.HideLabels,
			field: func(o *Options) any { return &o.HideLabels },
			apply: keepText,
		},
		{
			name:  options.Rename,
			field: func(o *Options) any { return &o.Rename },
			apply: keepText,
		},
		{
			name:  options.Cut,
			field: func(o *Options) any { return &o.Cut },
			apply: keepText,
		},
		{
			name:  options.FrontEnd,
			field: func(o *Options) any { return &o.FrontEnd },
			apply: checkFrontEndName,
		},
		{
			name:  options.FrontEndOption,
			field: func(o *Options) any { return &o.FrontEndOptions },
			apply: keepText,
		},
	}
}

// read sets the option from the field of an entry. To check the value, it applies the option to an
// analysis that is never made.
func (p option) read(r *reader, e entry, o *Options) {
	name := string(p.name)
	switch value := p.field(o).(type) {
	case *bool:
		r.readYesOrNo(e, name, value)
	case *[]string:
		if p.name == options.Fair {
			r.readFair(e, o)
			return
		}
		f, isGiven := e.fields[name]
		if isGiven && !f.wrong {
			*value = f.texts()
		}
	case *string:
		r.read(e, name, func(text string) error {
			kept, err := p.apply(r.ctx, text, new(explain.Options))
			*value = kept
			return err
		})
	case *int64:
		r.read(e, name, func(text string) error {
			var parsed explain.Options
			_, err := p.apply(r.ctx, text, &parsed)
			*value = parsed.Limit // the only option that is a number
			return err
		})
	}
}

// texts returns the values of the flag; none if it is left out.
func (p option) texts(o *Options) []string {
	text := ""
	switch value := p.field(o).(type) {
	case *[]string:
		return *value
	case *bool:
		if *value {
			text = "true"
		}
	case *int64:
		if *value > 0 {
			text = strconv.FormatInt(*value, 10)
		}
	case *string:
		text = *value
	}
	if text == "" {
		return nil
	}
	return []string{text}
}

// Flags returns the flags of inev explain that set these options, each followed by its value.
func (o Options) Flags() []string {
	var flags, switches []string
	for _, p := range allOptions() {
		for _, text := range p.texts(&o) {
			flag := "--" + p.name.Flag()
			if p.name.Option().Switch {
				switches = append(switches, flag)
			} else {
				flags = append(flags, flag, text)
			}
		}
	}
	return append(flags, switches...)
}

// forExplanation returns the options for the analysis.
func (o Options) forExplanation(ctx context.Context) (explanation explain.Options, err error) {
	for _, p := range allOptions() {
		for _, text := range p.texts(&o) {
			if _, err := p.apply(ctx, text, &explanation); err != nil {
				return explain.Options{}, fmt.Errorf("%s: %s: %w", p.name, text, err)
			}
		}
	}
	return explanation, nil
}

// applySetting returns the function that applies one of the settings of explanations. The default, which is
// the first of the words that the setting accepts, is kept as "".
func applySetting(name options.Name) func(context.Context, string, *explain.Options) (string, error) {
	return func(_ context.Context, text string, to *explain.Options) (kept string, err error) {
		for _, s := range setting.All() {
			if s.Name != string(name) {
				continue
			}
			err := s.Set(to, text)
			isDefault := len(s.Words) > 0 && text == s.Words[0]
			if isDefault {
				return "", err
			}
			return text, err
		}
		return text, nil
	}
}

// applyPattern applies the steps that a counterexample must do, see [parsePattern].
func applyPattern(ctx context.Context, text string, to *explain.Options) (kept string, err error) {
	to.Search.Pattern, err = parsePattern(ctx, text)
	return text, err
}

// applyAssumption returns the function that applies an assumption under which runs count. The text of the
// assumption is a prefix and the text of the option.
func applyAssumption(prefix string) func(context.Context, string, *explain.Options) (string, error) {
	return func(ctx context.Context, text string, to *explain.Options) (kept string, err error) {
		if liveness.IsFairness(prefix + text) {
			return text, nil // graphOf assumes it of the specification
		}
		a, err := actl.ParseAssumption(ctx, prefix+text)
		if err != nil {
			return "", err
		}
		to.Fair = append(to.Fair, a)
		return a.Tasks(), nil
	}
}

// checkFrontEndName checks the name of the program that composes networks; inev, the default, is kept as "".
func checkFrontEndName(_ context.Context, text string, _ *explain.Options) (kept string, err error) {
	known := options.FrontEnd.Option().Words
	if text == known[0] {
		return "", nil
	}
	if text != "" && !slices.Contains(known, text) {
		return "", fmt.Errorf("%q composes no networks; write %s", text,
			printable.List(known, "or"))
	}
	return text, nil
}

// keepText keeps the text of an option that says how the files of a job are read. Such an option
// does not affect the analysis.
func keepText(_ context.Context, text string, _ *explain.Options) (kept string, err error) {
	return text, nil
}

// readYesOrNo reads a field that is true or false.
func (r *reader) readYesOrNo(e entry, name string, to *bool) {
	r.read(e, name, func(text string) error {
		*to = text == "true"
		if text != "true" && text != "false" {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		return nil
	})
}
