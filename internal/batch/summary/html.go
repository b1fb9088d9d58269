package summary

import (
	"bufio"
	"cmp"
	_ "embed" // the bundle
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/contentpolicy"
	"github.com/inev-lts/inev/internal/modeljson"
)

//go:embed bundle/index.js
var script string

//go:embed bundle/index.css
var style string

//go:embed index.html
var source string

// index is the template, parsed when the first page is written.
var index = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("index").Parse(source))
})

// content is the data for the template.
type content struct {
	Manifest, Version string
	Headline          string
	Chips             []chip
	Baseline          string
	Compared          bool
	Changes           []changeCount
	Removed           []removedJob
	// First and Rest are the jobs that need a look or have a warning: the page shows First at once
	// and folds Rest. More is the number of such jobs that stand only in the page's table. Compared
	// with an earlier run, only what is new is in First.
	First, Rest []firstJob
	More        int
}

type chip struct {
	Status, Sign, Name string
	Count              int
}

type removedJob struct{ Name, Old string }

// firstJob is a job that needs a look.
type firstJob struct{ Status, Sign, Name, Answer, Sentence, Page string }

// Of the jobs that need a look, the page shows shownFirst at once, and has at most mostFirst.
const (
	shownFirst = 8
	mostFirst  = 100
)

// HTML writes the summary as one page that needs nothing else: no network and no server. Its
// table can be sorted, searched and filtered, and links to the files of each job beside the
// page. Any number of jobs is possible: the browser makes only visible rows.
//
// Texts are harmless as in package internal/report/page: html/template escapes them, the JSON that the
// script reads has no character that could end its element, the script inserts texts as text
// nodes, and a Content-Security-Policy forbids everything else. Links lead into the folder of
// results only. Cost O(size of the results).
func (b Batch) HTML(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	c := contentOf(b)
	contentpolicy.Page{
		Title:  c.Headline + " – " + c.Manifest,
		Style:  style,
		Policy: contentpolicy.Of(script, style),
	}.WriteHead(out)
	if err := index().Execute(out, c); err != nil {
		return err
	}
	if err := writeData(out, b); err != nil {
		return err
	}
	fmt.Fprintf(out, "<script>%s</script>\n</body>\n</html>\n", script)
	return out.Flush()
}

// contentOf returns the data for the template.
func contentOf(b Batch) content {
	n := counted(b.Results)
	c := content{
		Manifest: brief(b.Manifest, widestText),
		Version:  brief(b.Version, widestText),
		Headline: n.headline(),
		Chips:    chipsOf(&n),
		Compared: b.Differences != nil,
	}
	c.compare(b.Differences)
	c.addJobs(byUrgency(findings(b)))
	return c
}

// chipsOf returns the numbers of jobs that the page shows at its top.
func chipsOf(n *counts) []chip {
	var chips []chip
	look := n.needALook()
	if look > 0 {
		chips = append(chips, chip{
			Status: "look",
			Sign:   "‼",
			Name:   "to be looked at",
			Count:  look,
		})
	}
	if n.Warned > 0 {
		chips = append(chips, chip{
			Status: "warned",
			Sign:   "⚠",
			Name:   "with a warning",
			Count:  n.Warned,
		})
	}
	for _, s := range []batch.Status{
		batch.Violated,
		batch.Satisfied,
		batch.Failed,
		batch.TimedOut,
		batch.Crashed,
		batch.Canceled,
	} {
		count := *n.counter(s)
		if count > 0 {
			chips = append(chips, chip{
				Status: string(s),
				Sign:   sign(s),
				Name:   string(s),
				Count:  count,
			})
		}
	}
	return chips
}

// compare adds the differences from an earlier run, if there is one.
func (c *content) compare(d *baseline.Differences) {
	if d == nil {
		return
	}
	c.Baseline = brief(d.Baseline, widestText)
	for _, change := range changes(d) {
		if change.Change != baseline.Removed {
			c.Changes = append(c.Changes, change)
		}
	}
	for _, difference := range d.List {
		if difference.Change == baseline.Removed {
			c.Removed = append(c.Removed, removedJob{
				Name: brief(difference.Name, widestText),
				Old:  brief(difference.Old, widestText),
			})
		}
	}
}

// byUrgency returns the findings that need a look or have a warning, group by group; within a group the
// order is that of the manifest.
func byUrgency(all []finding) []finding {
	groups := make([][]finding, groupExpected)
	for _, f := range all {
		g := f.group()
		if g < groupExpected {
			groups[g] = append(groups[g], f)
		}
	}
	return slices.Concat(groups...)
}

// addJobs adds the jobs that the page shows before its table: at once, folded, or only as a number.
func (c *content) addJobs(urgent []finding) {
	for _, f := range urgent {
		mayBeFirst := !c.Compared || f.isNew()
		switch {
		case mayBeFirst && len(c.First) < shownFirst:
			c.First = append(c.First, firstJobOf(f))
		case len(c.First)+len(c.Rest) < mostFirst:
			c.Rest = append(c.Rest, firstJobOf(f))
		default:
			c.More++
		}
	}
}

// firstJobOf returns the entry of a job among those to look at first.
func firstJobOf(f finding) firstJob {
	verdict := f.answer()
	if f.Unexpected {
		verdict += fmt.Sprintf("; expected: %s", f.Job.Expected())
	}
	if f.exceeds() {
		verdict += "; " + strings.Join(f.Exceeds, "; ")
	}
	if f.change != "" {
		verdict += "; " + changeInWords(f.change)
	}
	return firstJob{
		Status:   string(f.Status),
		Sign:     sign(f.Status),
		Name:     brief(f.Job.Name, widestText),
		Answer:   verdict,
		Sentence: brief(f.mostImportant(), 3*widestText),
		Page:     address(f.Files["page"]),
	}
}

// mostImportant returns the most important sentence about a job, "" if there is none.
func (f finding) mostImportant() string {
	switch {
	case f.Error != "":
		return f.Error
	case f.Stale():
		return staleAdvice
	case len(f.Warnings) > 0:
		return "Warning: " + strings.Join(f.Warnings, "; ")
	case f.why() != "" || f.Counterexample != nil:
		return f.whyNow()
	}
	return f.marginChanges()
}

// decidingData is the step that decides, with the word under which the page shows it.
type decidingData struct {
	*batch.Deciding
	Place string `json:"place"`
}

// jobData is a job as the script reads it (src/batch.ts).
type jobData struct {
	Name       string          `json:"name"`
	Model      string          `json:"model"`
	Formula    string          `json:"formula"`
	Where      string          `json:"where,omitempty"`
	Tags       []string        `json:"tags,omitempty"`
	Status     batch.Status    `json:"status"`
	Expect     string          `json:"expect,omitempty"`
	Unexpected bool            `json:"unexpected,omitzero"`
	Group      int             `json:"group"`         // the smaller, the more urgent
	Look       bool            `json:"look,omitzero"` // whether the job needs a look
	New        bool            `json:"new,omitzero"`
	Change     baseline.Change `json:"change,omitempty"`
	Changed    string          `json:"changed,omitempty"` // in words
	Before     string          `json:"before,omitempty"`
	Error      string          `json:"error,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`
	States     *int            `json:"states,omitempty"`
	Steps      *int            `json:"transitions,omitempty"`
	Classes    *batch.Classes  `json:"classes,omitempty"`
	Places     int             `json:"neighbourhoods,omitzero"`
	Length     *int            `json:"length,omitempty"`
	Decisions  *int            `json:"decisions,omitempty"`
	Shape      string          `json:"shape,omitempty"`
	Labels     []string        `json:"labels,omitempty"` // the first labels of the run
	LoopStart  *int            `json:"loop_start,omitempty"`
	Deciding   *decidingData   `json:"deciding,omitempty"`
	Sentence   string          `json:"sentence,omitempty"`
	Files      []fileData      `json:"files,omitempty"`
}

type fileData struct {
	Kind string `json:"kind"`
	Href string `json:"href"`
}

// shownLabels is the number of steps of a counterexample that the page holds.
const shownLabels = 40

// writeData writes the data of the script: one line for each job, and separately the times.
func writeData(w io.Writer, b Batch) error {
	fmt.Fprint(w, "<script type=\"application/json\" id=\"jobs\">[")
	// The method Script leaves no text in the JSON that could end the element.
	for i, f := range findings(b) {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		text, err := modeljson.Plain().Script(jobDataOf(f))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%s", text)
	}
	times := make([]float64, len(b.Results))
	for i := range b.Results {
		times[i] = b.Results[i].Milli
	}
	text, err := modeljson.Plain().Script(times)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w,
		"]</script>\n<script type=\"application/json\" id=\"timings\">%s</script>\n", text)
	return err
}

// jobDataOf returns a job as the page has it.
func jobDataOf(f finding) jobData {
	d := jobData{
		Name:       f.Job.Name,
		Model:      f.Job.Model,
		Formula:    f.Job.Property(),
		Tags:       f.Job.Tags,
		Status:     f.Status,
		Expect:     f.Job.Expect,
		Unexpected: f.Unexpected,
		Group:      f.group(),
		Look:       f.needsALook(),
		New:        f.isNew(),
		Change:     f.change,
		Before:     f.old,
		Error:      f.Error,
		Warnings:   f.Warnings,
		Classes:    f.Classes,
		Places:     f.Neighbourhoods,
		Shape:      f.shape(),
	}
	if f.change != "" {
		d.Changed = changeInWords(f.change)
	}
	where := f.Job.Where
	if where.Line > 0 {
		d.Where = where.String()
	}
	if f.Model != nil {
		d.States = &f.Model.States
		d.Steps = &f.Model.Transitions
	}
	if f.Counterexample != nil {
		d.addRun(f)
	}
	if f.Counterexample != nil || f.Argument != "" {
		d.Sentence = f.whyNow()
	}
	d.Sentence = cmp.Or(d.Sentence, f.marginChanges())
	for _, file := range filesOf(f.Result) {
		d.Files = append(d.Files, fileData{file.kind, address(file.path)})
	}
	return d
}

// addRun adds the counterexample of a job.
func (d *jobData) addRun(f finding) {
	c := f.Counterexample
	decisions := len(c.Decisions)
	d.Length = &c.Length
	d.Decisions = &decisions
	d.LoopStart = loopStart(c)
	d.Labels = c.Labels[:min(len(c.Labels), shownLabels)]
	if c.Deciding != nil {
		d.Deciding = &decidingData{c.Deciding, f.placeName()}
	}
}
