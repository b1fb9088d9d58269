package certificate

import (
	"bufio"
	"errors"
	"io"
	"strconv"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// ErrNoSteps tells that a property has no steps: it is not inevitability.
var ErrNoSteps = errors.New("only inevitability, such as Inev(A, B), has steps")

// WriteSteps writes to w which labels of the model do which steps of p, to which f was bound:
// what a label means for the property, for people and for the checker in modules/proof. It
// fails with [ErrNoSteps] where p is no chain, and where w fails.
//
// The first line has the property and the number of its steps, and each other line a label, in
// the order of the alphabet, and the numbers of the steps that it does, with commas. A tab is
// between the two, of which the first is escaped as in tables of labels. Cost O(n L) time for n
// steps and L labels.
func WriteSteps(w io.Writer, f property.Formula, p *property.Property) error {
	chain, is := p.Chain()
	if !is {
		return ErrNoSteps
	}
	out := bufio.NewWriter(w)
	out.WriteString(printable.Cell(f.String()) + "\t" + strconv.Itoa(chain.Len()) + "\n")
	for l, text := range chain.Alphabet().All() {
		out.WriteString(printable.Cell(text))
		separator := "\t"
		for i := 1; i <= chain.Len(); i++ {
			if chain.Does(lts.Label(l), i) {
				out.WriteString(separator + strconv.Itoa(i))
				separator = ","
			}
		}
		if separator == "\t" {
			out.WriteByte('\t')
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}
