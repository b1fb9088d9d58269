package editor_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/testing/faults"
	"github.com/inev-lts/inev/modules/editor"
)

// deaf takes no notice of its context for questions with a formula that begins with Never, and panics
// for those with Always.
type deaf struct {
	*editor.Local
	end chan struct{}

	mu     sync.Mutex
	begun  int
	atOnce int
}

func (a *deaf) Answer(ctx context.Context, q editor.Question) (*editor.Answer, error) {
	switch {
	case strings.HasPrefix(q.Job.Formula, "Always"):
		panic("a planted\x1b[2J mistake")
	case strings.HasPrefix(q.Job.Formula, "Never"):
		a.mu.Lock()
		a.begun++
		a.atOnce++
		a.mu.Unlock()
		<-a.end
		a.mu.Lock()
		a.atOnce--
		a.mu.Unlock()
		return nil, ctx.Err()
	}
	return a.Local.Answer(ctx, q)
}

// TestEndlessChecks: a check that takes no notice of its limit of time does not keep others from being
// answered; of such checks only a few are begun, and the others have an error that says why.
func TestEndlessChecks(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	a := &deaf{Local: local(t), end: make(chan struct{})}
	c := connect(t, a, editor.Options{Patience: 100 * time.Millisecond})
	c.begin(folder, object{"shows": true})
	text := "# model: travel.aut\n"
	for i := range 6 {
		text += fmt.Sprintf("Never(BOOKING_REC, \"x%d\")\n", i)
	}
	text = strings.ReplaceAll(text, "\"x", "\"")
	u := c.open(filepath.Join(folder, "travel", "a.inev"), strings.Replace(text, "# model: travel.aut\n", "# model: travel.aut\nInev(BOOKING_REC)\n", 1)+"")
	other := c.open(filepath.Join(folder, "travel", "b.inev"), "# model: travel.aut\nInev(REQUEST_EM)\n")
	c.until("the other document is checked", func() bool {
		v := c.verdicts[other]
		return len(v.Items) == 1 && v.Items[0].Status == "satisfied" || len(v.Items) == 1 && v.Items[0].Status == "error"
	})
	var errors []string
	c.until("all checks have ended for the client", func() bool {
		errors = nil
		for _, item := range c.verdicts[u].Items {
			if item.Status == "pending" || item.Status == "unknown" {
				return false
			}
			errors = append(errors, item.Message)
		}
		return len(errors) == 7
	})
	all := strings.Join(errors, "\n")
	if !strings.Contains(all, "there is no answer after 100ms") || !strings.Contains(all, "restart the language server") {
		t.Errorf("it says\n%s", all)
	}
	a.mu.Lock()
	if a.begun > 4 || a.begun == 0 {
		t.Errorf("%d checks without end were begun", a.begun)
	}
	a.mu.Unlock()
	close(a.end)
	// They have ended after all: checks go on.
	for begun := time.Now(); ; {
		said, err := c.try("inev/ask", object{"path": filepath.Join(folder, "travel", "travel.aut"), "formula": "Inev(REQUEST_EM)"})
		if err == nil && strings.Contains(said, "satisfied") {
			break
		}
		if time.Since(begun) > patience {
			t.Fatalf("a check is still not answered: %s, %v", said, err)
		}
	}
}

// TestPanicsAreLogged: to the client and elsewhere, and everything else goes on.
func TestPanicsAreLogged(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	log := &locked{}
	c := connect(t, &deaf{Local: local(t), end: make(chan struct{})}, editor.Options{Log: log})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "Always(REQUEST_EM)\nInev(REQUEST_EM)\n")
	c.until("both are answered", func() bool {
		items := c.verdicts[u].Items
		return len(items) == 2 && items[0].Status == "error" && strings.Contains(items[0].Message, "panic: a planted") && items[1].Status == "satisfied"
	})
	if _, err := c.try("inev/ask", object{"path": filepath.Join(folder, "travel", "travel.aut"), "formula": "Always(REQUEST_EM)"}); err == nil || !strings.Contains(err.Error(), "report it") {
		t.Errorf("the answer is %v", err)
	}
	c.mu.Lock()
	logged := strings.Join(c.asked, " ")
	c.mu.Unlock()
	if !strings.Contains(logged, "window/logMessage") {
		t.Errorf("the client gets %s", logged)
	}
	if text := log.String(); !strings.Contains(text, "a planted") || !strings.Contains(text, "endless_test.go") || strings.Contains(text, "\x1b") {
		t.Errorf("the log is %q", text)
	}
}

// TestContainedPanicsAreLogged: so are panics that the work on one job contains by itself.
func TestContainedPanicsAreLogged(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	log := &locked{}
	c := connect(t, local(t), editor.Options{Log: log})
	c.begin(folder, object{"shows": true})
	struck := faults.Once(t, "inev/explain.")
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "Inev(BOOKING_REC, TICKET_REC)\nInev(REQUEST_EM)\n")
	c.until("both are answered", func() bool {
		items := c.verdicts[u].Items
		return len(items) == 2 && items[0].Status != "pending" && items[1].Status != "pending"
	})
	_, _ = c.try("inev/ask", object{"path": filepath.Join(folder, "travel", "travel.aut"), "formula": "Inev(BOOKING_REC, TICKET_REC)"})
	if !struck() {
		t.Fatal("explain runs no function that package contained runs")
	}
	if text := log.String(); !strings.Contains(text, faults.Message) || !strings.Contains(text, "faults.Once") || strings.Contains(text, "panic: panic") {
		t.Errorf("the log is %q", text)
	}
}

type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestPositionsAreClamped: what is asked or edited at a position that does not exist is meant for the
// nearest that does.
func TestPositionsAreClamped(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "")
	at := func(line, character string) string {
		return fmt.Sprintf(`{"line":%s,"character":%s}`, line, character)
	}
	raw := func(text string) rawJSON { return rawJSON(text) }
	numbers := []string{"-1", "-2147483648", "-99999999999999999999", "-1e400", "0", "1", "2", "3", "2147483647", "4294967295", "99999999999999999999", "1e30", "1e400", "1.5", "-0"}
	for _, text := range []string{"", "Inev(A)", "𝔸𝔸(\r\n# model: \r\n\nInev(", "\n"} {
		c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": 2}, "contentChanges": []object{{"text": text}}})
		for _, line := range numbers {
			for _, character := range numbers {
				for _, method := range []string{"textDocument/completion", "textDocument/hover", "textDocument/signatureHelp"} {
					if _, err := c.try(method, object{"textDocument": object{"uri": u}, "position": raw(at(line, character))}); err != nil {
						t.Fatalf("%s at %s in %q: %v", method, at(line, character), text, err)
					}
				}
				where := raw(`{"start":` + at(line, character) + `,"end":` + at(character, line) + `}`)
				if _, err := c.try("textDocument/codeAction", object{"textDocument": object{"uri": u}, "range": where, "context": object{}}); err != nil {
					t.Fatalf("codeAction at %s: %v", where, err)
				}
			}
		}
	}
	// Edits: the text at the end is shown as symbols.
	for _, e := range []struct{ text, from, to, put, want string }{
		{"Inev(A)", at("-5", "3"), at("-1", "9"), "Never(B)\n", "Never(B)|Inev(A)"},
		{"Inev(A)", at("99999999999999999999", "1"), at("1e400", "0"), "\nNever(B)", "Inev(A)|Never(B)"},
		{"Inev(A)", at("0", "5"), at("0", "1e30"), "B)", "Inev(B)"},
		{"Inev(A)", at("0", "6"), at("0", "5"), "B", "Inev(AB)"},               // reversed
		{"Inev(𝔸)", at("0", "6"), at("0", "7"), "B", "Inev(𝔸B)"},               // from within a pair
		{"Inev(𝔸B)", at("0", "5"), at("0", "6"), "", "Inev(B)"},                // into a pair
		{"Inev(A)\r\n", at("0", "90"), at("0", "99"), "", "Inev(A)"},           // behind the end of a line
		{"Inev(A)", at("-1e400", "4"), at("1e400", "4"), "Inev(C)", "Inev(C)"}, // everything
	} {
		c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": -7}, "contentChanges": []any{
			object{"text": e.text}, rawJSON(fmt.Sprintf(`{"range":{"start":%s,"end":%s},"text":%q}`, e.from, e.to, e.put)),
		}})
		said := c.call("textDocument/documentSymbol", object{"textDocument": object{"uri": u}})
		var names []string
		for i, part := range strings.Split(said, `"name":"`) {
			if i > 0 {
				names = append(names, part[:strings.Index(part, `"`)])
			}
		}
		if got := strings.Join(names, "|"); got != e.want {
			t.Errorf("%q, %s to %s replaced by %q: %s, want %s", e.text, e.from, e.to, e.put, got, e.want)
		}
	}
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// TestNoFile: a document that is no file of this machine has no models: what it names is not looked
// for where the server happens to work.
func TestNoFile(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	t.Chdir(filepath.Join(folder, "travel"))
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	for _, u := range []string{"untitled:Untitled-1", "http://host/x.inev", "file://host/x.inev", "%zz", ""} {
		c.notify("textDocument/didOpen", object{"textDocument": object{"uri": u, "languageId": "inev", "version": 1, "text": "# model: travel.aut\nInev(NOTHING)\n"}})
		c.until(u+" is read", func() bool { _, is := c.shown[u]; return is })
		if got := c.lines(u); len(got) != 0 {
			t.Errorf("%s: %q", u, got)
		}
	}
}
