package mcrl2_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format/internal/mcrl2"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// FuzzRead: whatever is read, there is a model, or an error of one line about the file.
func FuzzRead(f *testing.F) {
	f.Add(small())
	f.Add(one(0x8306, double("true", c1)))
	f.Add(one(0x8308, on("@bag", lambda(x, x), on("@fbag_cons", natural(3), concat(word(2), 1), emptyBag))))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer mutation.Limited()()
		checkReading(t, data)
	})
}

// FuzzTerms is FuzzRead for files whose terms are well-formed, and of which each stands where
// another one should.
func FuzzTerms(f *testing.F) {
	names := []string{"true", "@c1", "@c0", "@cNat", "@cPair", "@bag", "@fbag_cons", "[]", "|>", "+", "@set", "TimedMultAct", "DataVarId", "OpIdNoIndex", "SortArrow", "Binder", "Whr"}
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18})
	f.Fuzz(func(t *testing.T, program []byte) {
		defer mutation.Limited()()
		stack := []aterm{c1}
		top := func(i int) aterm { return stack[max(0, len(stack)-1-i)] }
		joined := 0
		for _, b := range program[:min(len(program), 200)] {
			if b%8 != 0 && b%8 != 1 {
				// Each may double the term, and the encoder visits shared parts anew.
				if joined++; joined > 14 {
					continue
				}
			}
			name := names[int(b)/8%len(names)]
			switch b % 8 {
			case 0:
				stack = append(stack, number(uint64(b)<<(b/8)))
			case 1:
				stack = append(stack, at(name))
			case 2:
				stack = append(stack, at(name, top(0), top(1)))
			case 3:
				stack = append(stack, on(name, top(0)))
			case 4:
				stack = append(stack, apply(top(0), top(1)))
			case 5:
				stack = append(stack, list(top(0), top(1), top(2)))
			case 6:
				stack = append(stack, op(name, top(0)))
			case 7:
				stack = append(stack, multi(top(0), action(name, top(1))))
			}
			if len(stack) > 40 {
				stack = stack[20:]
			}
		}
		checkReading(t, one(0x8306, top(0)))
	})
}

func checkReading(t *testing.T, data []byte) {
	m, warnings, err := mcrl2.Read(context.Background(), bytes.NewReader(data), mcrl2.Options{Name: "m.lts", States: true})
	var located *inputfile.Error
	switch {
	case err == nil && (m == nil || m.LTS.NumStates() < 1):
		t.Error("neither a model nor an error")
	case err != nil && (!errors.As(err, &located) || !strings.HasPrefix(err.Error(), "m.lts: ") || strings.Contains(err.Error(), "\n")):
		t.Errorf("%q", err)
	}
	for _, w := range warnings {
		if strings.Contains(w, "\n") {
			t.Errorf("warning %q", w)
		}
	}
}
