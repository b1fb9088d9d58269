package mcrl2_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/inev-lts/inev/format/internal/mcrl2"
)

// large returns a file with so many transitions, of 200 labels with data, from each state
// three; with values, each state has those of four parameters, in a tree.
func large(transitions int, values bool) []byte {
	e := newEncoder(0x8308)
	e.begin(variable("a", nat), variable("b", nat), variable("c", nat), variable("d", nat))
	var labels []aterm
	for i := range 200 {
		actions := list(action("act", natural(uint64(i)), on("|>", natural(uint64(i%7)), emptyList)))
		labels = append(labels, at("TimedMultAct", aterm{placed: e.share(actions) + 1}, aterm{placed: e.share(notime) + 1}))
	}
	states := uint64(transitions/3 + 1)
	for i := range uint64(transitions) {
		if values && i%3 == 0 {
			n := i / 3
			e.put(list(at("@node@", at("@node@", natural(n%50), natural(n/50%50)), at("@node@", natural(n/2500%50), natural(n/125000)))))
		}
		e.transition(i/3, labels[i*i%200], (i*7919+3)%states)
	}
	return e.end(0)
}

func BenchmarkRead(b *testing.B) {
	const transitions = 1_000_000
	for name, values := range map[string]bool{"plain": false, "values": true} {
		data := large(transitions, values)
		for _, wanted := range []bool{false, true}[:1+len(name)-5] {
			title := name
			if wanted {
				title += "/kept"
			}
			b.Run(title, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for range b.N {
					if _, _, err := mcrl2.Read(context.Background(), bytes.NewReader(data), mcrl2.Options{States: wanted}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(transitions*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtransitions/s")
			})
		}
	}
}
