package editor_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/inev-lts/inev/modules/editor"
)

// BenchmarkKeystroke types into formulas about a model of a million transitions that is loaded: how long a key takes until
// completion is answered for it, and until what is wrong is shown for it.
func BenchmarkKeystroke(b *testing.B) {
	for _, labels := range []int{100, 100_000} {
		b.Run(fmt.Sprint("labels=", labels), func(b *testing.B) { keystrokes(b, labels) })
	}
}

func keystrokes(b *testing.B, labels int) {
	folder := b.TempDir()
	if err := writeGrid(filepath.Join(folder, "large.aut"), labels); err != nil {
		b.Fatal(err)
	}
	c := connect(b, local(b), editor.Options{})
	c.begin(folder, object{"shows": true})
	const wrong = "Never(nothing)" // is shown as soon as the model is known
	u := c.open(filepath.Join(folder, "large.inev"), wrong)
	c.until("the model is known", func() bool { return len(c.shown[u].Diagnostics) == 1 })
	const typed = "Response(\"act_77\"; \"act_78\", {act_5, act_6})"
	version, line := 1, ""
	var answered, shown []time.Duration
	for b.Loop() {
		if len(line) == len(typed) {
			line = ""
		}
		line = typed[:len(line)+1]
		version++
		start := time.Now()
		c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": version}, "contentChanges": []object{{"text": line}}})
		c.call("textDocument/completion", object{"textDocument": object{"uri": u}, "position": object{"line": 0, "character": len(line)}})
		answered = append(answered, time.Since(start))
		c.until("the newest text is looked at", func() bool { return c.shown[u].Version == version })
		shown = append(shown, time.Since(start))
	}
	for name, all := range map[string][]time.Duration{"answered": answered, "shown": shown} {
		slices.Sort(all)
		for _, part := range []struct {
			name string
			at   int
		}{{"median", len(all) / 2}, {"p99", len(all) * 99 / 100}, {"most", len(all) - 1}} {
			b.ReportMetric(float64(all[part.at].Microseconds())/1000, name+"-"+part.name+"-ms")
		}
	}
}

// writeGrid writes a model of 500,000 states, each of which has two transitions.
func writeGrid(path string, labels int) error {
	const states = 500_000
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "des (0, %d, %d)\n", 2*states, states)
	for s := range states {
		fmt.Fprintf(w, "(%d, \"act_%d\", %d)\n(%d, \"act_%d\", %d)\n", s, 2*s%labels, (s+1)%states, s, (2*s+1)%labels, s*7%states)
	}
	return w.Flush()
}
