package page

import (
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report"
)

// tellSlowest adds the faster choices at the steps of the slowest run.
func (x *extra) tellSlowest(s *report.Sentences, run *explain.Slowest) {
	said, end := s.SlowestRun()
	for _, f := range run.Faster {
		n := int(f.Step) + 1
		x.Decisions = append(x.Decisions, n)
		if text := said[f.Step]; text != "" && len(x.Sentences) < maxSentences {
			x.Sentences[n] = text + "."
		}
	}
	x.End = strings.NewReplacer(string(codeBegins), "", string(codeEnds), "").Replace(end)
}
