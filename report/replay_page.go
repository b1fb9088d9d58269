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
var replayTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("replay").Funcs(template.FuncMap{
		"text": sentenceText, "what": what,
		"deviates": (*replay.Result).Deviates, // templates of releases call no methods
	}).Parse(replaySource))
})

// Bounds of a page: rows of the table, cases with sentences, and deviations of one case.
const (
	pageRows       = 1000
	pageCases      = 100
	pageDeviations = 200
)

// replayPage is the data of the template: the result with the rows that the page has room for.
type replayPage struct {
	*replay.Result
	First                   string
	Single                  *saidOfCase
	Frequent                []replay.Frequency
	MoreFrequent, MoreCases int
	Cases, Details          []caseRow
}

// caseRow is a case; Said is nil unless the case needs a look.
type caseRow struct {
	*replay.CaseResult
	Skipped, Missing int
	Fate, Since      string
	Said             *saidOfCase
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
	page := replayPage{Result: p.r, First: p.headline()}
	if len(short.Cases) == 1 {
		page.Single = p.saidOf(&short.Cases[0])
		return page
	}
	page.Frequent = short.Frequent[:min(pageRows, len(short.Frequent))]
	page.MoreFrequent = len(short.Frequent) - len(page.Frequent)
	all := p.first(pageRows)
	page.MoreCases = len(short.Cases) - len(all)
	for _, c := range all {
		row := caseRow{CaseResult: c}
		row.Skipped, row.Missing = skippedAndMissing(c)
		row.Fate, row.Since = verdictOf(c)
		if c.Deviates() && len(page.Details) < pageCases {
			row.Said = p.saidOf(c)
			page.Details = append(page.Details, row)
		}
		page.Cases = append(page.Cases, row)
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
