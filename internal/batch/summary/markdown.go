package summary

import (
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/printable"
)

// largestMarkdown is the largest size of the Markdown, in bytes and hence in characters: GitHub
// refuses comments of more than 65,536 characters.
const largestMarkdown = 65_000

// widestText bounds a text of a user or a model, in characters; the JSON has all of it.
const widestText = 120

// Markdown writes the summary for a pull request: the numbers of jobs by their ends, then the jobs that
// need a look (new, unexpected, without a verdict, or with a warning), then all others, folded. Links
// are relative to the folder of results, unless BaseURL or NoLinks is set.
//
// It has at most 65,000 bytes: rows that do not fit are left out, and a sentence says how many.
// Texts of users and models are code, so that they are no markup and mention nobody; sentences are
// escaped. Cost O(size of the results).
func (b Batch) Markdown(w io.Writer) error {
	p := &boundedText{batch: &b, room: largestMarkdown}
	c := counted(b.Results)
	p.write(fmt.Sprintf("## inev: %s\n\n", c.headline()))
	p.write(countsTable(&c))
	if b.Differences != nil {
		p.write(fmt.Sprintf("\nAgainst %s: %s.\n",
			printable.Code(brief(b.Differences.Baseline, widestText)), changesInWords(b.Differences)))
	}
	// Room for the last lines is reserved before anything else is written.
	end := p.end()
	p.room -= len(end)
	groups := make([][]finding, groupSatisfied+1)
	all := findings(b)
	for _, f := range all {
		groups[f.group()] = append(groups[f.group()], f)
	}
	p.table("New", open, groups[groupNew])
	p.table("Unexpected", foldedIfLong, groups[groupUnexpected])
	p.table("Without a verdict", foldedIfLong, groups[groupUnanswered])
	p.table("With a warning", foldedIfLong, groups[groupWarned])
	p.otherDifferences(all)
	p.table("Violated, as expected", folded, groups[groupExpected])
	p.table("Satisfied", folded, groups[groupSatisfied])
	p.room += len(end)
	p.write(end)
	_, err := io.WriteString(w, p.text.String())
	return err
}

// countsTable returns the numbers of jobs by their ends.
func countsTable(c *counts) string {
	head := "| jobs |"
	line := "| ---: |"
	numbers := fmt.Sprintf("| %d |", c.Jobs)
	for _, s := range []batch.Status{
		batch.Satisfied,
		batch.Violated,
		batch.Failed,
		batch.TimedOut,
		batch.Crashed,
		batch.Canceled,
	} {
		n := *c.counter(s)
		if n == 0 && !s.Answered() {
			continue
		}
		head += fmt.Sprintf(" %s %s |", sign(s), s)
		line += " ---: |"
		numbers += fmt.Sprintf(" %d |", n)
	}
	return head + " unexpected |\n" + line + " ---: |\n" + numbers +
		fmt.Sprintf(" %d |\n", c.Unexpected)
}

// changesInWords counts the differences from an earlier run.
func changesInWords(d *baseline.Differences) string {
	var numbers []string
	for _, change := range changes(d) {
		numbers = append(numbers, fmt.Sprintf("%d %s", change.Count, change.Words))
	}
	if numbers == nil {
		return "no difference"
	}
	return strings.Join(numbers, ", ")
}

// end returns the last lines.
func (p *boundedText) end() string {
	b := p.batch
	end := ""
	if b.BaseURL != "" {
		end = fmt.Sprintf("\n[All jobs](%s)\n", b.link(HTMLFile))
	}
	byVersion := ""
	if b.Version != "" {
		byVersion = " by inev " + printable.Code(brief(b.Version, 40))
	}
	manifest := printable.Code(brief(b.Manifest, widestText))
	return end + fmt.Sprintf("\nMade from %s%s. The jobs took %s in all.\n", manifest, byVersion,
		seconds(totalMilli(*b)))
}

// otherDifferences writes a table of the differences that no table before it shows.
func (p *boundedText) otherDifferences(all []finding) {
	if p.batch.Differences == nil {
		return
	}
	isShown := map[string]bool{} // by the name of the job
	for _, f := range all {
		if f.group() < groupWarned {
			isShown[f.Job.Name] = true
		}
	}
	var rows []string
	for _, d := range p.batch.Differences.List {
		if isShown[d.Name] && d.Change != baseline.Removed {
			continue
		}
		old := escaped(brief(d.Old, widestText))
		latest := escaped(brief(d.New, widestText))
		rows = append(rows,
			fmt.Sprintf("| %s | %s | %s | %s |\n", cell(d.Name), changeInWords(d.Change), old, latest))
	}
	if rows != nil {
		p.section(section{
			title:   "Other differences",
			folding: foldedIfLong,
			head:    "| job | difference | before | now |\n| --- | --- | --- | --- |\n",
			rows:    rows,
		})
	}
}

func seconds(milli float64) string { return fmt.Sprintf("%.1f s", milli/1000) }

// boundedText is a Markdown text with a bound on its length.
type boundedText struct {
	batch *Batch
	text  strings.Builder
	room  int // the number of bytes that are left
}

// write adds a text if there is room for it, and reports whether there is.
func (p *boundedText) write(text string) bool {
	if len(text) > p.room {
		return false
	}
	p.text.WriteString(text)
	p.room -= len(text)
	return true
}

func sign(s batch.Status) string {
	switch s {
	case batch.Satisfied:
		return "✓"
	case batch.Violated:
		return "✗"
	}
	return "!"
}

// folding is whether a table is folded, so that a click opens it.
type folding uint8

const (
	open folding = iota
	foldedIfLong
	folded
)

// longTable is the largest number of rows that foldedIfLong leaves open.
const longTable = 10

// section is a table with its title.
type section struct {
	title   string
	folding folding
	head    string
	rows    []string // at least one
}

// isFolded reports whether the table is folded.
func (s *section) isFolded() bool {
	return s.folding == folded || s.folding == foldedIfLong && len(s.rows) > longTable
}

// table writes a table of findings, if there are any.
func (p *boundedText) table(title string, f folding, list []finding) {
	if len(list) == 0 {
		return
	}
	rows := make([]string, len(list))
	for i, f := range list {
		rows[i] = p.row(f)
	}
	p.section(section{
		title:   title,
		folding: f,
		head:    "| job | verdict | details |\n| --- | --- | --- |\n",
		rows:    rows,
	})
}

// section writes as many rows of a table as fit, and a sentence about those left out. If not even one row
// fits, it writes the sentence only.
func (p *boundedText) section(s section) {
	begin := fmt.Sprintf("\n### %s (%d)\n\n", s.title, len(s.rows))
	end := ""
	if s.isFolded() {
		begin = fmt.Sprintf("\n<details><summary>%s (%d)</summary>\n\n", s.title, len(s.rows))
		end = "\n</details>\n"
	}
	const more = "\n%d more do not fit in here; index.html and summary.csv have them.\n"
	reserved := len(end) + len(fmt.Sprintf(more, len(s.rows)))
	fitsOneRow := len(begin)+len(s.head)+len(s.rows[0])+reserved <= p.room
	if !fitsOneRow {
		p.write(fmt.Sprintf("\n%s: "+strings.TrimLeft(more, "\n"), s.title, len(s.rows)))
		return
	}
	p.write(begin + s.head)
	p.room -= reserved
	written := 0
	for written < len(s.rows) && p.write(s.rows[written]) {
		written++
	}
	p.room += reserved
	if written < len(s.rows) {
		p.write(fmt.Sprintf(more, len(s.rows)-written))
	}
	p.write(end)
}

func (p *boundedText) row(f finding) string {
	return fmt.Sprintf("| %s | %s | %s |\n", jobCell(f), verdictCell(f),
		strings.TrimLeft(p.remarks(f), " "))
}

// jobCell names the job with its model and formula, unless its name has them.
func jobCell(f finding) string {
	text := cell(f.Job.Name)
	if !strings.Contains(f.Job.Name, f.Job.Property()) {
		text += "<br>" + cell(f.Job.Property())
	}
	if !strings.Contains(f.Job.Name, f.Job.Model) {
		text += "<br>in " + cell(f.Job.Model)
	}
	return text
}

// verdictCell returns the verdict, and how it differs from what is expected and from the earlier run.
func verdictCell(f finding) string {
	text := sign(f.Status) + " " + f.answer()
	if f.Unexpected && f.Job.Expect != "" {
		text += "; expected: " + escaped(brief(f.Job.Expect, widestText))
	}
	if f.exceeds() {
		text += "; " + escaped(brief(strings.Join(f.Exceeds, "; "), 3*widestText))
	}
	if f.change == "" {
		return text
	}
	text += "; **" + changeInWords(f.change) + "**"
	if f.old != "" {
		text += " (before: " + escaped(brief(f.old, widestText)) + ")"
	}
	return text
}

// remarks returns why the property fails or the job has no verdict, the warnings, and a link to the
// first file of the job: its page if there is one, which links to the others.
func (p *boundedText) remarks(f finding) string {
	text := ""
	margins := f.marginChanges()
	switch {
	case f.Error != "":
		text = cell(f.Error)
	case f.Stale():
		text = staleAdvice
	case f.why() != "":
		text = escaped(brief(f.why(), 3*widestText)) + escaped(brief(f.news(), 2*widestText))
	case margins != "":
		text = escaped(brief(margins, widestText))
	}
	for _, warning := range f.Warnings {
		text += " **Warning:** " + cell(warning)
	}
	files := filesOf(f.Result)
	if len(files) == 0 {
		return text
	}
	link := p.batch.link(files[0].path)
	if link != "" {
		text += fmt.Sprintf(" [%s](%s)", escaped(brief(files[0].kind, 20)), link)
	}
	return text
}

func cell(text string) string { return printable.CodeCell(brief(text, widestText)) }

// escaped writes prose that may contain texts of a model. A backslash makes any ASCII sign
// literal (CommonMark, 2.4); words that hosts turn into links (names after @, numbers after #,
// addresses) are broken up by an empty comment, which no reader sees.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range printable.Text(text) {
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if strings.ContainsRune("@#!:", r) {
			b.WriteString("<!-- -->")
		}
	}
	return strings.ReplaceAll(b.String(), "www.", "www<!-- -->.")
}
