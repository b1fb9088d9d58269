package view

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// proposeLanes returns a table of proposed lanes, in the format of [ReadLanes], and the number of
// labels with a proposal. Pairs of labels such as REQ_EM and REQ_REC are one message; for other
// labels, the lane is the part that by convention names a process. Labels without a proposal are in
// comments below a heading, which is a comment, too.
func proposeLanes(labels []string, pairs [][2]string, convention *regexp.Regexp) (table string, guessed int) {
	var b strings.Builder
	b.WriteString("# A guess by how the labels are written, not by what they mean: read it, correct it,\n" +
		"# and hand it back as the lanes. A line is LABEL, FROM and, of a message, TO and the\n" +
		"# label that receives it, with tabs between.\n")
	line := func(guess bool, cells ...string) {
		if guess {
			guessed++
		} else {
			b.WriteString("# ")
		}
		for i, cell := range cells {
			cells[i] = printable.Cell(cell)
		}
		fmt.Fprintln(&b, strings.Join(cells, "\t"))
	}
	if len(pairs) > 0 {
		receipt, received := map[string]string{}, map[string]bool{}
		for _, pair := range pairs {
			receipt[pair[0]] = pair[1]
		}
		for _, by := range receipt {
			received[by] = true
		}
		for _, label := range labels {
			switch by, is := receipt[label]; {
			case is:
				line(true, label, "sender", "receiver", by)
			case !received[label]:
				line(false, label, "?")
			}
		}
		return b.String(), guessed
	}
	for _, label := range labels {
		if convention != nil {
			if match := convention.FindStringSubmatch(label); match != nil {
				line(true, label, match[1])
				continue
			}
		}
		line(false, label, "?")
	}
	return b.String(), guessed
}
