package certify

import (
	"bufio"
	"bytes"
	"context"

	"github.com/inev-lts/inev/explain"
)

var ErrIncomplete = errIncomplete

// EvidenceOfShortest returns what a certificate would have as evidence that no counterexample has
// fewer transitions than length, true or not.
func EvidenceOfShortest(e *explain.Explanation, length int) string {
	enriched, _ := e.Classification().Fates().Enriched()
	var b bytes.Buffer
	x := &writer{out: bufio.NewWriter(&b), pass: newPass(context.Background(), enriched, e.LTS(), enriched.Property(), nil)}
	v, err := newShortness(x.pass, length)
	if err != nil {
		panic(err)
	}
	x.writeShortness(v)
	_ = x.out.Flush()
	return b.String()
}
