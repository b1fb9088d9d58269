package report

import (
	"bufio"
	_ "embed" // the style and the template
	"html/template"
	"io"
	"path/filepath"
	"sync"

	"github.com/inev-lts/inev/counterexample/replay"
	"github.com/inev-lts/inev/internal/contentpolicy"
)

//go:embed replay.css
var replayStyle string

//go:embed replay.html
var replaySource string

// replayTemplate is the template, parsed when the first page is written.
var replayTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("replay").Parse(replaySource)) })

// Bounds of a page: rows of the table, cases with sentences, and deviations of one case.
const (
	pageRows       = 1000
	pageCases      = 100
	pageDeviations = 200
)

// replayPage is the data of the template.
type replayPage struct {
	Log, First, Formula     string
	Bad                     bool
	Warnings                []string
	Single                  *saidOfCase
	Frequent                []frequencyRow
	MoreFrequent, MoreCases int
	Cases                   []caseRow
	Details                 []caseDetails
}

type frequencyRow struct {
	Deviations, Cases int
	What, Label       string
}

type caseRow struct {
	Name             string
	Events           int
	Fits             bool
	Skipped, Missing int
	Fate, Since      string
}

type caseDetails struct {
	Name, Fate string
	Said       *saidOfCase
}

// saidOfCase is the sentences about a case; More counts the deviations that are left out.
type saidOfCase struct {
	Deviations, Rest []string
	More             int
}

// ReplayPage writes the result for a log as one self-contained page of HTML without scripts. Texts
// of the log are escaped. Of many cases the page has only some, first those that deviate or lose
// the property. It fails if w does. Cost O(size of the page).
func ReplayPage(w io.Writer, r *replay.Result) error {
	b := bufio.NewWriter(w)
	p := newReplayProse(r, false, sentenceText)
	page := p.page()
	// The page may be passed on, so it does not name folders of this machine.
	contentpolicy.Head(b, true, page.First, replayStyle, contentpolicy.Static(replayStyle))
	if err := replayTemplate().Execute(b, page); err != nil {
		return err
	}
	return b.Flush()
}

// page returns the data of the template.
func (p *replayProse) page() replayPage {
	short := *p.r
	short.ModelFile, short.LogFile = filepath.Base(short.ModelFile), filepath.Base(short.LogFile)
	p.r = &short
	page := replayPage{Log: p.quote(short.LogFile), First: p.headline(), Formula: p.quote(short.Formula), Bad: short.Deviates()}
	for _, warning := range short.Warnings {
		page.Warnings = append(page.Warnings, p.quote(warning))
	}
	if len(short.Cases) == 1 {
		page.Single = p.saidOf(&short.Cases[0])
		return page
	}
	for _, f := range short.Frequent[:min(pageRows, len(short.Frequent))] {
		page.Frequent = append(page.Frequent, frequencyRow{f.Deviations, f.Cases, what(f.Kind), p.quote(f.Label)})
	}
	page.MoreFrequent = len(short.Frequent) - len(page.Frequent)
	all := p.first(pageRows)
	page.MoreCases = len(short.Cases) - len(all)
	for _, c := range all {
		skipped, missing := skippedAndMissing(c)
		verdict, since := verdictOf(c)
		page.Cases = append(page.Cases, caseRow{p.quote(c.Name), c.Events, c.Fits, skipped, missing, verdict, since})
		if c.Deviates() && len(page.Details) < pageCases {
			page.Details = append(page.Details, caseDetails{p.quote(c.Name), verdict, p.saidOf(c)})
		}
	}
	return page
}

func (p *replayProse) saidOf(c *replay.CaseResult) *saidOfCase {
	said := &saidOfCase{}
	for _, d := range c.Deviations[:min(pageDeviations, len(c.Deviations))] {
		said.Deviations = append(said.Deviations, p.deviates(d))
	}
	said.More = len(c.Deviations) - len(said.Deviations)
	said.Rest = p.after(c)
	return said
}
