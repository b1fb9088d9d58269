package pagetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/tools/browsertest"
)

const (
	offHead   = `document.getElementById("off-head").textContent`
	offFate   = `document.getElementById("off-fate").textContent`
	offMoves  = `[...document.querySelectorAll("#off-moves button")].map(b => b.innerText.replace(/\s+/g, " ")).join("|")`
	offWay    = `[...document.querySelectorAll("#off-way li")].map(l => l.textContent).join()`
	offAnswer = `document.getElementById("off-answer").innerText.replace(/\s+/g, " ").trim()`
)

// copied lets the page copy, and keeps what it copies.
const copied = `Object.defineProperty(navigator, "clipboard", {value: {writeText: t => { window.copied = t; return Promise.resolve(); }}, configurable: true})`

// TestBrowserWalksOffTheRun: with the keyboard alone one leaves the run where it was
// decided, is told what each choice means before, goes back, and takes the run along.
func TestBrowserWalksOffTheRun(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, agency), screen(1280))
	b.Run(chromedp.Evaluate(copied+";0", nil))
	b.Want(offHead, "State 1 0 of 2 done")
	b.Want(offFate, "? still open: some runs satisfy the property from here, others do not")
	b.Want(offMoves, "✓ ACCEPT → state 2 makes the property certain|✗ REFUSE → state 3 loses the property; the run takes it")
	b.Want(offWay, "ASK")
	b.Run(chromedp.Focus("#off-moves button", chromedp.ByQuery))
	b.Press(kb.ArrowDown)
	b.Want(`document.activeElement.innerText.includes("REFUSE")`, "true")
	b.Press(kb.ArrowUp, kb.Enter)
	b.Want(offHead, "State 2 0 of 2 done")
	b.Want(offFate, "✓ certain: every run that goes on from here satisfies the property")
	b.Want(offMoves, "✓ PAY → state 4 the property stays certain")
	b.Want(`document.querySelector("svg .pointed")?.id ?? "state-2"`, "state-2")
	b.Press(kb.Enter) // the first choice has the focus
	b.Want(offHead, "State 4 1 of 2 done")
	b.Press(kb.Enter)
	b.Want(offHead, "State 4 2 of 2 done")
	b.Want(offWay, "ASK,ACCEPT,PAY,REST")
	b.Want(position, "2 / 2") // of the run, which stays where it was
	b.Press(kb.Backspace)
	b.Want(offHead, "State 4 1 of 2 done")
	b.Run(chromedp.Focus("#off-labels", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Until(`window.copied === "ASK\nACCEPT\nPAY\n"`)
	b.Want(`document.getElementById("off-told").textContent`, "Copied.")
	b.Run(chromedp.Focus("#off-restart", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Want(offHead, "State 1 0 of 2 done")
	b.Want(`document.getElementById("off-back").disabled`, "true")

	// Into the deadlock, in the format of CADP.
	b.Run(chromedp.Focus("#off-moves li:nth-child(2) button", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Want(offHead, "State 3 0 of 2 done")
	b.Want(`document.getElementById("off-note").textContent`, "Nothing can happen here any more: the run ends.")
	b.Want(`document.activeElement.id`, "off-back")
	b.Run(chromedp.Focus("#off-seq", chromedp.ByQuery))
	b.Press(kb.Enter)
	b.Until(`window.copied === '"ASK"\n"REFUSE"\n<deadlock>\n'`)

	// Where copying is not allowed, it is there to be copied by hand.
	b.Run(chromedp.Evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error("no"));0`, nil))
	b.Press(kb.Enter)
	b.Until(`!document.getElementById("off-text").hidden`)
	b.Want(`document.getElementById("off-text").value`, "\"ASK\"\n\"REFUSE\"\n<deadlock>\n")

	// From another state, and from the step at hand.
	b.Run(chromedp.SendKeys("#off-state", "4"+kb.Enter, chromedp.ByQuery))
	b.Want(offHead, "State 4 1 of 2 done")
	b.Want(`document.querySelector(".off-pasts").hidden`, "false")
	b.Want(`[...document.querySelectorAll("#off-past option")].map(o => o.textContent).join()`, "1 of 2 done,2 of 2 done")
	b.Run(chromedp.Focus("#off-past", chromedp.ByQuery))
	b.Press(kb.ArrowDown)
	b.Until(offHead + ` === "State 4 2 of 2 done"`)
	b.Want(offWay, "ASK,ACCEPT,PAY,REST")
	b.Fill("#off-state", "99")
	b.Click("#off-go")
	b.Want(`document.getElementById("off-told").textContent`, "This page knows no way to a state 99.")
	b.Run(chromedp.Focus("#run", chromedp.ByQuery))
	b.Press(kb.Home)
	b.Want(`document.getElementById("off-run").textContent`, "Begin at the start")
	b.Click("#off-run")
	b.Want(offHead, "State 0 0 of 2 done")
}

// TestBrowserAnswersWhyNot: at any state, for any action, by keyboard and by a click.
func TestBrowserAnswersWhyNot(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, pageAbout(t, agency), screen(1280))
	choose := func(times int, key string) {
		b.Run(chromedp.Focus("#off-why", chromedp.ByQuery))
		for range times {
			b.Press(key)
		}
	}
	choose(3, kb.ArrowDown)
	b.Want(`document.getElementById("off-why").value`, "PAY")
	b.Want(offAnswer, "PAY is not possible here. The nearest place with it is state 2, 1 transition on: ACCEPT ✓ PAY → state 4 makes the property certain Go to state 2")
	b.Press(kb.Tab, kb.Enter) // there
	b.Want(offHead, "State 2 0 of 2 done")
	b.Want(offAnswer, "PAY is possible here: ✓ PAY → state 4 the property stays certain")
	b.Press(kb.Backspace)
	choose(2, kb.ArrowUp)
	b.Want(offAnswer, "ACCEPT is possible here, and the run takes REFUSE instead: ✓ ACCEPT → state 2 makes the property certain")
	choose(3, kb.ArrowDown)
	b.Want(offAnswer, "REFUSE is possible here, and the run takes it: ✗ REFUSE → state 3 loses the property")

	// From the facts of a state.
	b.Fill("#places-filter", "")
	b.Click(`#place .why-not`)
	b.Until(offAnswer + `.startsWith("ACCEPT is possible here, and the run takes REFUSE instead")`)
	b.Want(`document.activeElement.id`, "off-answer")
	clickOn(b, `svg [id="state-3"] text`)
	b.Click(`#facts .place-buttons button:nth-last-of-type(2)`) // Walk on from here
	b.Want(offHead, "State 3 0 of 2 done")
	b.Want(offAnswer, "ACCEPT is not possible here, and from here on it can no longer happen.")
}

// TestBrowserWalksAPartOfTheModel: where the page has not all of it, it says so.
func TestBrowserWalksAPartOfTheModel(t *testing.T) {
	t.Parallel()
	var edges []edge
	for i := range lts.State(400) {
		edges = append(edges, edge{i, fmt.Sprintf("STEP !%d", i), i + 1})
	}
	edges = append(edges, edge{0, "BAD", 401}, edge{400, "GOOD", 400}, edge{3, "STEP !300", 2})
	e := specimens.Asked(t, modelOf(t, 402, edges), "Inev(GOOD)", explain.Options{Source: explain.Source{File: "long.aut"}})
	b := browsertest.Open(t, surrounded(t, e, 2000, page.Options{}), screen(1280))
	b.Want(`document.querySelectorAll("#off-why option").length < 100`, "true")
	b.Fill("#off-why", "STEP !300")
	b.Run(chromedp.Evaluate(`document.getElementById("off-why").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	b.Until(offAnswer + `.includes("is not possible here. The nearest place with it is state 3, 3 transitions on")`)
	b.Fill("#off-why", "BAD")
	b.Run(chromedp.Evaluate(`document.getElementById("off-why").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	b.Click("#off-moves button") // STEP !0
	b.Until(offAnswer + `.includes("BAD is not possible in any state that this page can go to from here; it holds a part of the model only.")`)
	// To its edge, the fate of which is known.
	for range 100 {
		if b.Value(`document.querySelectorAll("#off-moves button").length`) == "0" {
			break
		}
		b.Press(kb.Enter)
	}
	b.Want(`document.getElementById("off-note").textContent`, "The transitions that leave this state are not on this page, which has those of the states nearest to the run.")
	b.Want(offFate, "✓ certain: every run that goes on from here satisfies the property")

	// Only the verdict: nothing is known of what choices mean.
	small := modelOf(t, 2, []edge{{0, "A", 1}})
	c := checkedOnly(t, small, "Inev(B)")
	b = browsertest.Open(t, withoutPictures(t, c, page.Options{}))
	b.Want(`document.getElementById("off")`, "null")
}

// everywhere goes to each state with each history and asks for each label, and returns
// what the page says.
const everywhere = `(() => {
	const said = [];
	const select = document.getElementById("off-why"), past = document.getElementById("off-past");
	for (const state of STATES) {
		const field = document.getElementById("off-state");
		document.getElementById("off-told").textContent = "";
		field.value = state;
		document.getElementById("off-go").click();
		if (document.getElementById("off-told").textContent !== "") continue;
		for (let i = 0; i < Math.max(1, past.options.length); i++) {
			past.value = String(i);
			past.dispatchEvent(new Event("change", {bubbles: true}));
			document.querySelector("#off-moves .more")?.click();
			const moves = [...document.querySelectorAll("#off-moves button")].map(b => [b.querySelector("code").textContent, b.querySelector(".to").textContent.match(/\d+$/)[0], [...b.classList].find(c => c.startsWith("after-")).slice(6)].join(" "));
			const answers = {};
			for (const o of [...select.options].slice(1)) {
				select.value = o.value;
				select.dispatchEvent(new Event("change", {bubbles: true}));
				const box = document.getElementById("off-answer");
				answers[o.value] = [box.textContent.includes("no longer happen") ? "never" : String(box.querySelectorAll(".path li").length), ...[...box.querySelectorAll("li.choice")].map(l => [l.querySelector(".to").textContent.match(/\d+$/)[0], [...l.classList].find(c => c.startsWith("after-")).slice(6)].join(" "))];
			}
			said.push({state, done: Number(document.getElementById("off-head").textContent.match(/(\d+) of/)[1]), way: [...document.querySelectorAll("#off-way li")].map(l => l.textContent), moves, answers});
		}
	}
	return JSON.stringify(said);
})()`

// TestBrowserWalksTruthfully: on random models, what every choice means at every state
// with every history, how far every action is, and that the runs are runs: as brute force
// has it.
func TestBrowserWalksTruthfully(t *testing.T) {
	t.Parallel()
	claims := 0
	for seed := range uint64(24) {
		c := randomlts.Seeded(seed*7, randomlts.Size{States: 7, Transitions: 15, Labels: 4, Steps: 3})
		if c.Model.NumTransitions() == 0 || c.Model.Alphabet().Len() == 0 {
			continue
		}
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		b := browsertest.Open(t, withoutPictures(t, specimens.Asked(t, c.Model, c.Formula, explain.Options{}), page.Options{}))
		var said []walked
		var numbers []int
		for s := range c.Model.NumStates() {
			numbers = append(numbers, s)
		}
		list, _ := json.Marshal(numbers)
		if err := json.Unmarshal([]byte(b.Value(strings.Replace(everywhere, "STATES", string(list), 1))), &said); err != nil {
			t.Fatal(err)
		}
		pairs := 0
		for s := range lts.State(c.Model.NumStates()) {
			for j := range len(c.Steps) + 1 {
				if o.Arrives(s, j) {
					pairs++
				}
			}
		}
		if len(said) != pairs {
			t.Errorf("seed %d: %d places, want %d\n%s", seed, len(said), pairs, c)
		}
		for _, w := range said {
			if err := w.check(c.Model, o); err != nil {
				t.Errorf("seed %d, state %d, %d done: %v\n%s", seed, w.State, w.Done, err, c)
			}
			claims += len(w.Moves) + len(w.Answers)
		}
	}
	if claims < 500 {
		t.Errorf("only %d claims", claims)
	}
}

type walked struct {
	State   lts.State
	Done    int
	Way     []string
	Moves   []string
	Answers map[string][]string
}

func (w walked) check(m *lts.LTS, o *oracle.Oracle) error {
	if !slices.Contains(endsOf(m, o, w.Way), [2]int{int(w.State), w.Done}) {
		return fmt.Errorf("%q does not lead there", w.Way)
	}
	var moves []string
	labels, targets := m.Out(w.State)
	for i, to := range targets {
		t := lts.Transition{From: w.State, Label: labels.At(i), To: to}
		moves = append(moves, fmt.Sprint(m.Alphabet().Text(labels.At(i)), " ", to, " ", o.ClassAfter(w.Done, t)))
	}
	got := slices.Clone(w.Moves)
	slices.Sort(got)
	slices.Sort(moves)
	if !slices.Equal(got, moves) {
		return fmt.Errorf("moves %q, want %q", got, moves)
	}
	for text, answer := range w.Answers {
		l, _ := m.Alphabet().Lookup(text)
		if want := distanceTo(m, w.State, l); answer[0] != want {
			return fmt.Errorf("%s is %s away, want %s", text, answer[0], want)
		}
	}
	return nil
}

// endsOf returns where a sequence of labels can lead, with the progress.
func endsOf(m *lts.LTS, o *oracle.Oracle, way []string) [][2]int {
	at := [][2]int{{int(m.Initial()), 0}}
	for _, text := range way {
		l, _ := m.Alphabet().Lookup(text)
		var next [][2]int
		for _, p := range at {
			labels, targets := m.Out(lts.State(p[0]))
			for i, to := range targets {
				if labels.At(i) == l {
					next = append(next, [2]int{int(to), o.Advance(p[1], l)})
				}
			}
		}
		at = next
	}
	return at
}

// distanceTo returns how many transitions come before a label at least, "never" where it
// cannot happen.
func distanceTo(m *lts.LTS, from lts.State, l lts.Label) string {
	at := map[lts.State]bool{from: true}
	for d := range m.NumStates() {
		next := map[lts.State]bool{}
		for s := range at {
			labels, targets := m.Out(s)
			for i, to := range targets {
				if labels.At(i) == l {
					return fmt.Sprint(d)
				}
				next[to] = true
			}
		}
		at = next
	}
	return "never"
}

// TestBrowserWalkFits: on a phone, in print (where it is not), and for axe-core with an
// answer open, in light and dark.
func TestBrowserWalkFits(t *testing.T) {
	t.Parallel()
	for scheme, width := range map[string]int64{"dark": 320, "light": 1280} {
		b := browsertest.Open(t, pageAbout(t, travel), screen(width), browsertest.Look("prefers-color-scheme", scheme))
		b.Fill("#off-why", "TICKET_REC")
		b.Run(chromedp.Evaluate(`document.getElementById("off-why").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
		b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
		b.Want(`[...document.querySelectorAll("#off *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80)).join()`, "")
		b.Run(emulation.SetEmulatedMedia().WithMedia("print"))
		b.Want(`getComputedStyle(document.getElementById("off")).display`, "none")
		b.Run(emulation.SetEmulatedMedia().WithMedia(""), browsertest.Look("prefers-color-scheme", scheme))
		b.Accessible("walking, " + scheme)
	}
}
