package editor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/modules/editor"
)

// afternoon is somebody's work on two files and a manifest, as it was recorded, with the answers in
// testdata/afternoon.golden.
func TestAfternoon(t *testing.T) {
	folder := copied(t, "travel/travel.aut", "travel/travel.inev", "abp/abp.aut", "abp/abp.inev", "inev.yaml", "election/election.aut", "election/lossy.aut", "peterson/once.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	var said bytes.Buffer
	tell := func(title, text string) {
		said.WriteString(strings.ReplaceAll("== "+title+"\n"+strings.TrimSpace(text)+"\n\n", filepath.ToSlash(folder), "FOLDER"))
	}
	asks := 0
	ask := func(method string, params object) {
		asks++
		answer := c.call(method, params)
		what, _ := json.Marshal(params)
		tell(method+" "+brief(what), brief([]byte(answer)))
	}
	at := func(u string, line, character int) object {
		return object{"textDocument": object{"uri": u}, "position": object{"line": line, "character": character}}
	}
	in := func(u string) object { return object{"textDocument": object{"uri": u}} }
	texts, versions := map[string]string{}, map[string]int{}
	shown := func(u string) {
		tell(fmt.Sprintf("shown in %s %d", filepath.Base(u), versions[u]), strings.Join(c.settled(u, versions[u]), "\n"))
	}
	unsaved := func(u string) {
		c.until("something is shown", func() bool { return c.shown[u].Version == versions[u] })
		tell(fmt.Sprintf("shown in %s %d, which is not saved", filepath.Base(u), versions[u]), strings.Join(c.lines(u), "\n"))
	}
	open := func(name, text string) string {
		if text == "" {
			data, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		u := c.open(filepath.Join(folder, name), text)
		texts[u], versions[u] = text, 1
		shown(u)
		return u
	}
	// Whole texts are sent: the test of edits sends parts.
	types := func(u, text string) {
		versions[u]++
		texts[u] = text
		c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": versions[u]}, "contentChanges": []object{{"text": text}}})
	}
	saves := func(u string) {
		if err := os.WriteFile(strings.TrimPrefix(u, "file://"), []byte(texts[u]), 0o644); err != nil {
			t.Fatal(err)
		}
		c.save(u)
		shown(u)
	}
	action := func(u string, line, character int) {
		place := object{"line": line, "character": character}
		ask("textDocument/codeAction", object{"textDocument": object{"uri": u}, "range": object{"start": place, "end": place}, "context": object{"diagnostics": []any{}}})
	}

	travel := open("travel/travel.inev", "")
	ask("textDocument/documentSymbol", in(travel))
	ask("textDocument/codeLens", in(travel))
	ask("textDocument/hover", at(travel, 5, 2))
	ask("textDocument/hover", at(travel, 5, 8))
	ask("textDocument/hover", at(travel, 1, 0))
	types(travel, texts[travel]+"\nRe")
	ask("textDocument/completion", at(travel, 24, 2))
	types(travel, strings.TrimSuffix(texts[travel], "Re")+"Response(PAYMNT_EM; ")
	ask("textDocument/signatureHelp", at(travel, 24, 20))
	ask("textDocument/completion", at(travel, 24, 20))
	types(travel, texts[travel]+"PAYMENT_REC; ")
	ask("textDocument/signatureHelp", at(travel, 24, 33))
	ask("textDocument/completion", at(travel, 24, 33))
	types(travel, strings.TrimSuffix(texts[travel], "; ")+")  \n")
	saves(travel)
	action(travel, 24, 12)
	types(travel, strings.Replace(texts[travel], "PAYMNT", "PAYMENT", 1))
	ask("textDocument/codeLens", in(travel))
	saves(travel)
	ask("textDocument/codeLens", in(travel))
	ask("textDocument/hover", at(travel, 24, 3))
	types(travel, strings.Replace(texts[travel], "Response(PAYMENT_EM; PAYMENT_REC)", "Response( PAYMENT_EM ;{PAYMENT_REC,VOUCHER_REC})", 1))
	ask("textDocument/formatting", in(travel))
	ask("textDocument/hover", at(travel, 24, 36))

	abp := open("abp/abp.inev", "")
	ask("textDocument/codeLens", in(abp))
	types(abp, strings.Replace(texts[abp], "# expect: violated lasso 5", "# found: violated lasso 5", 1)) // as if nobody had expected it
	saves(abp)
	action(abp, 5, 3)
	types(abp, strings.Replace(texts[abp], "Inev(PUT)", "# fair: weak:PUT\nInev(PUT)", 1))
	saves(abp)
	ask("textDocument/codeLens", in(abp))
	types(abp, strings.Replace(texts[abp], "weak:PUT", "weak:PTU", 1))
	saves(abp)
	ask("textDocument/completion", at(abp, 5, 8))
	types(abp, "# model: abp.aut\n# model: ../travel/travel.aut\nG (PUT -> F GET\n")
	saves(abp)
	types(abp, "# model: abp.aut\n# model: nothing.aut\nG (PUT -> F GET)\nG (")
	saves(abp)
	ask("textDocument/completion", at(abp, 3, 3))
	ask("textDocument/completion", at(abp, 1, 9))
	ask("textDocument/hover", at(abp, 2, 3))
	ask("textDocument/hover", at(abp, 2, 1))
	ask("textDocument/signatureHelp", at(abp, 3, 3))
	ask("textDocument/documentSymbol", in(abp))

	batch := open("inev.yaml", "")
	ask("textDocument/documentSymbol", in(batch))
	ask("textDocument/codeLens", in(batch))
	ask("textDocument/hover", at(batch, 7, 20))
	types(batch, strings.Replace(texts[batch], "expect: violated", "expect: vio", 1))
	ask("textDocument/completion", at(batch, 8, 15))
	unsaved(batch)
	types(batch, strings.Replace(strings.Replace(texts[batch], "expect: vio", "expects: violated", 1), "travel/travel.aut", "travel/trip.aut", 1))
	unsaved(batch)
	types(batch, strings.Replace(strings.Replace(texts[batch], "expects:", "expect:", 1), "travel/trip.aut", "travel/travel.aut", 1)+"  - formula: Inev(G)\n    model: abp/abp.aut\n    fo")
	ask("textDocument/completion", at(batch, 29, 6))
	ask("textDocument/completion", at(batch, 27, 19))
	types(batch, strings.TrimSuffix(texts[batch], "    fo")+"    expect: violated\n")
	saves(batch)
	ask("textDocument/codeLens", in(batch))
	ask("textDocument/formatting", in(batch))
	ask("textDocument/hover", at(batch, 27, 17))
	ask("textDocument/codeLens", in(abp))
	ask("inev/ask", object{"path": filepath.Join(folder, "abp", "abp.aut"), "formula": "Inev(PUT)", "fair": []string{"weak:PUT"}})
	ask("inev/ask", object{"path": filepath.Join(folder, "abp", "abp.aut"), "formula": "Inev(PUT"})
	action(travel, 9, 3)
	ask("inev/ask", object{"path": filepath.Join(folder, "abp", "nothing.aut"), "formula": "Inev(PUT)"})
	if _, err := c.try("workspace/symbol", object{}); err == nil || !strings.Contains(err.Error(), "is not understood") {
		t.Errorf("what is not understood is answered by %v", err)
	}
	if asks < 40 {
		t.Errorf("only %d requests", asks)
	}
	golden.Check(t, filepath.Join("testdata", "afternoon.golden"), said.Bytes())
}

// aRange is one in JSON, and anItem begins an element of a list.
var (
	aRange = regexp.MustCompile(`\{"start":\{"line":(\d+),"character":(\d+)\},"end":\{"line":(\d+),"character":(\d+)\}\}`)
	anItem = regexp.MustCompile(`([\[,])(\{"(?:range|label|name|title)":)`)
	ofRun  = regexp.MustCompile(`,"(?:started|ms|key|timings_ms|sortText|filterText)":(?:"(?:[^"\\]|\\.)*"|[\d.]+|\{[^}]*\})`)
)

// brief writes JSON in fewer lines, without what differs from run to run.
func brief(text []byte) string {
	s := ofRun.ReplaceAllString(string(text), "")
	s = aRange.ReplaceAllString(s, `"$1:$2-$3:$4"`)
	return anItem.ReplaceAllString(strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">", "\u2028", "").Replace(s), "$1\n $2")
}

// TestEdits makes edits at random places. What is shown in the end is what a server says that sees the text for
// the first time.
func TestEdits(t *testing.T) {
	folder := copied(t, "travel/travel.aut", "travel/travel.inev")
	path := filepath.Join(folder, "travel", "travel.inev")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := string(data)
	a := local(t)
	c := connect(t, a, editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(path, first)
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "(", ")", "\n", "Inev(", "BOOKING_REC", ",", "; ", "\"", "/", "é", "𝔸", "# model: travel.aut\n", "# fair: weak\n", "G ", " -> ", "{", "}", "\r\n", "Response(BOOKING_REC; TICKET_REC)\n", "\t"}
	lines := strings.Split(first, "\n")
	version := 1
	edits := 1000
	if testing.Short() {
		edits = 200
	}
	for range edits {
		version++
		n := r.IntN(len(lines))
		units := utf16s(lines[n])
		from := r.IntN(len(units) + 1)
		to := min(len(units), from+r.IntN(4))
		text := ""
		if r.IntN(3) > 0 {
			text = pieces[r.IntN(len(pieces))]
		}
		// The halves of a pair are edited together, as editors do.
		for from > 0 && from < len(units) && units[from] == low {
			from--
		}
		for to < len(units) && units[to] == low {
			to++
		}
		lines = splice(lines, n, from, to, text)
		c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": version}, "contentChanges": []object{{
			"range": object{"start": object{"line": n, "character": from}, "end": object{"line": n, "character": to}}, "text": text,
		}}})
		if version%50 == 0 {
			c.save(u)
			c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}})
			c.call("textDocument/completion", object{"textDocument": object{"uri": u}, "position": object{"line": n, "character": from}})
			c.call("textDocument/hover", object{"textDocument": object{"uri": u}, "position": object{"line": n, "character": from}})
			c.call("textDocument/formatting", object{"textDocument": object{"uri": u}})
		}
		if len(lines) > 120 {
			lines = strings.Split(first, "\n")
			version++
			c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": version}, "contentChanges": []object{{"text": first}}})
		}
	}
	c.save(u)
	got := c.settled(u, version)
	fresh := connect(t, a, editor.Options{})
	fresh.begin(folder, object{"shows": true})
	want := fresh.settled(fresh.open(path, strings.Join(lines, "\n")), 1)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("after all edits it shows\n%s\nand of the text\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(want) == 0 {
		t.Error("nothing is wrong with a text of random edits")
	}
}

// low stands for the second unit of a pair.
const low = rune(-1)

// utf16s returns a line in units of UTF-16.
func utf16s(line string) []rune {
	var units []rune
	for _, c := range line {
		units = append(units, c)
		if c > 0xffff {
			units = append(units, low)
		}
	}
	return units
}

func splice(lines []string, n, from, to int, text string) []string {
	units := utf16s(lines[n])
	whole := func(units []rune) string {
		var b strings.Builder
		for _, c := range units {
			if c != low {
				b.WriteRune(c)
			}
		}
		return b.String()
	}
	made := strings.Split(whole(units[:from])+text+whole(units[to:]), "\n")
	return append(append(append([]string{}, lines[:n]...), made...), lines[n+1:]...)
}

// stuck answers nothing before its context is done.
type stuck struct {
	*editor.Local
	begun chan struct{}
	ended chan struct{}
}

func (a stuck) Answer(ctx context.Context, q editor.Question) (*editor.Answer, error) {
	a.begun <- struct{}{}
	<-ctx.Done()
	a.ended <- struct{}{}
	return nil, ctx.Err()
}

func TestCancel(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	a := stuck{local(t), make(chan struct{}, 10), make(chan struct{}, 10)}
	c := connect(t, a, editor.Options{})
	c.begin(folder, object{"shows": true})
	// A check goes on, and typing does not wait for it.
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "Inev(BOOKING_REC)\n")
	<-a.begun
	if said := c.call("textDocument/completion", object{"textDocument": object{"uri": u}, "position": object{"line": 0, "character": 6}}); !strings.Contains(said, "BOOKING_EM") {
		t.Errorf("while a check goes on, completion is %s", said)
	}
	// A newer check ends it.
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": 2}, "contentChanges": []object{{"text": "Inev(TICKET_REC)\n"}}})
	c.save(u)
	<-a.ended
	<-a.begun
	// A request is cancelled.
	answered := make(chan error, 1)
	go func() {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		var said any
		answered <- c.conn.Call(ctx, "inev/ask", object{"path": filepath.Join(folder, "travel", "travel.aut"), "formula": "Inev(A)"}, &said, jsonrpc2.PickID(jsonrpc2.ID{Str: "mine", IsString: true}))
	}()
	<-a.begun
	c.notify("$/cancelRequest", object{"id": "mine"})
	if err := <-answered; err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("a cancelled request is answered by %v", err)
	}
	<-a.ended
	c.notify("textDocument/didClose", object{"textDocument": object{"uri": u}})
	<-a.ended
}

// TestTwoClients: what one has open is nothing to the other, and both share the models.
func TestTwoClients(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	a := local(t)
	path := filepath.Join(folder, "travel", "travel.inev")
	one, two := connect(t, a, editor.Options{}), connect(t, a, editor.Options{})
	one.begin(folder, object{"shows": true})
	two.begin(folder, object{"shows": true})
	u := one.open(path, "Inev(REQUEST_EM)\n")
	two.open(path, "Inev(TICKET_REC)\n")
	if got := one.settled(u, 1); len(got) != 0 {
		t.Errorf("one is shown %q", got)
	}
	if got := two.settled(u, 1); len(got) != 1 {
		t.Errorf("the other is shown %q", got)
	}
}

// TestModelChanges: a verdict of what the model was is taken away.
func TestModelChanges(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	model := filepath.Join(folder, "travel", "travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "Inev(TICKET_REC)\n")
	if got := c.settled(u, 1); len(got) != 1 || !strings.Contains(got[0], "can no longer happen") {
		t.Fatalf("shown %q", got)
	}
	if err := os.WriteFile(model, []byte("des (0, 1, 2)\n(0, TICKET_REC, 1)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.notify("workspace/didChangeWatchedFiles", object{"changes": []object{{"uri": uri(model), "type": 2}}})
	c.until("the new model satisfies it", func() bool {
		v := c.verdicts[u]
		return len(v.Items) == 1 && v.Items[0].Status == "satisfied" && len(c.shown[u].Diagnostics) == 0
	})
}
