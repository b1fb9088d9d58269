package main

import (
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// scene is work in one workspace.
type scene struct {
	name     string
	examples []string
	// alsoFiles are single files of examples. files maps the names of further files to their texts.
	alsoFiles []string
	files     map[string]string
	settings  map[string]any
	steps     func(e *editing) []func() error
}

// installedServer is replaced in settings by the path of inev-ls.
const installedServer = "inev-ls"

var scenes = []scene{
	{
		name:     "formulas",
		examples: []string{"travel"},
		files:    map[string]string{"inev.yaml": "jobs:\n  - model: travel.aut\n    formula: Inev(TICKET_REC)\n    expects: violated\n"},
		steps:    afternoon,
	},
	{
		name:      "pages",
		examples:  []string{"travel"},
		alsoFiles: []string{"jugs/jugs.dot", "jugs/never4.json"},
		files:     map[string]string{"found.seq": "\"REQUEST_EM\"\n\"REQUEST_REC\"\n\"REFUSAL_EM\"\n"},
		steps:     reading,
	},
	{
		name:     "installed",
		examples: []string{"travel", "tla"},
		files:    map[string]string{"link.mcrl2": "init delta;\n"},
		settings: map[string]any{"inev.server": installedServer},
		steps:    specifications,
	},
	{
		name:     "untrusted",
		examples: []string{"travel"},
		files:    map[string]string{"link.mcrl2": "init delta;\n", "found.seq": "\"REQUEST_EM\"\n"},
		settings: map[string]any{
			"inev.server":                            installedServer,
			"security.workspace.trust.enabled":       true,
			"security.workspace.trust.startupPrompt": "never",
		},
		steps: restricted,
	},
	{
		name:     "web",
		examples: []string{"travel"},
		settings: map[string]any{"remote.extensionKind": map[string]any{"inev-lts.inev": []string{"web"}}},
		steps:    inBrowser,
	},
}

func names() []string {
	var all []string
	for _, s := range scenes {
		all = append(all, s.name)
	}
	return all
}

// Elements of VS Code.
const (
	lens     = ".codelens-decoration"
	list     = ".monaco-list-row"
	tab      = ".tab"
	toast    = ".notification-toast"
	revealed = ".active-line-number"
	current  = `[aria-selected="true"][data-position]` // step of a page
)

// afternoon is work on formulas with the server that the extension contains.
func afternoon(e *editing) []func() error {
	const typed, right = "Inev(BOOKNG_REC, TICKET_REC)", "Inev(BOOKING_REC, TICKET_REC)"
	const told = "did you mean BOOKING_REC"
	return []func() error{
		e.step("tests-run",
			e.clicks(`.activitybar [aria-label^="Testing"], .activitybar .codicon-test-view-icon`, ""),
			e.shows(".test-explorer "+list, "travel.inev"),
			e.command("Test: Run All Tests"),
			e.shows(".result-summary", "1/5"),
		),
		e.step("verdicts",
			e.command("View: Show Explorer"),
			e.opens("travel.inev"),
			e.shows(lens, "✗"),
			e.shows(lens, "✓"),
			e.gone(lens, "…"),
		),
		e.step("hover",
			e.at("6:3"),
			e.command("Show or Focus Hover"),
			e.shows(".monaco-hover", "On every run"),
		),
		e.step("completion",
			e.press(kb.Escape),
			e.press(kb.End, input.ModifierCtrl),
			e.types("\nInev(BOO"),
			e.press(" ", input.ModifierCtrl),
			e.shows(".suggest-widget "+list, "BOOKING_REC"),
		),
		e.step("signature",
			e.press(kb.Escape),
			e.command("Trigger Parameter Hints"),
			e.shows(".parameter-hints-widget", "Inev("),
		),
		e.step("typo",
			e.press(kb.Escape),
			e.press("z", input.ModifierCtrl),
			e.press(kb.End, input.ModifierCtrl),
			e.types("\n"+typed+"\n"),
			e.command("Problems: Focus on Problems View"),
			e.shows(".markers-panel", told),
		),
		e.step("fix",
			e.command("View: Hide Panel"),
			e.opens("travel.inev"),
			e.at("25:8"),
			e.gone(lens, "…"),
			e.until(e.press(".", input.ModifierCtrl), ".action-widget", "Change to BOOKING_REC"),
		),
		e.step("mended",
			e.enter,
			e.gone(".action-widget", "Change"),
			e.shows(".view-lines", right),
		),
		e.step("saved",
			e.press("s", input.ModifierCtrl),
			e.gone(".tab.dirty", ""),
			e.gone(lens, "save to check"),
			e.gone(lens, "…"),
		),
		e.step("tests",
			e.command("Testing: Focus on Test Explorer View"),
			e.clicks(".test-explorer "+list, "travel.inev"),
			e.press(kb.ArrowRight),
			e.shows(".test-explorer", right),
		),
		e.step("test-output",
			e.clicks(".test-explorer "+list, right),
			e.command("Test: Peek Output"),
			e.shows(".test-output-peek, .test-output-peek-message-container", "REFUSAL_EM"),
		),
		e.step("manifest",
			e.press(kb.Escape),
			e.command("View: Show Explorer"),
			e.opens("inev.yaml"),
			e.command("Problems: Focus on Problems View"),
			e.shows(".markers-panel", "expects"),
		),
	}
}

// reading is work with the displays of formulas, models and files.
func reading(e *editing) []func() error {
	const formula = "Inev(BOOKING_REC, TICKET_REC)"
	return []func() error{
		e.step("explained",
			e.opens("travel.inev"),
			e.shows(lens, "✗"),
			e.at("6:3"),
			e.until(e.press("e", input.ModifierCtrl, input.ModifierAlt), tab, "travel.aut: Inev"),
			e.shows(current, ""),
		),
		e.step("walked",
			e.walks(kb.ArrowLeft, 3),
			e.shows(revealed, "2"),
			e.shows(".view-lines", "des (0"),
		),
		e.step("closed",
			e.clicks(tab+" .label-name", "travel.aut: Inev"),
			e.command("View: Close Editor"),
			e.gone(tab, "travel.aut: Inev"),
		),
		e.step("again",
			e.opens("travel.inev"),
			e.clicks(lens+" a", "✗"),
			e.shows(tab, "travel.aut: Inev"),
			e.shows(current, ""),
		),
		e.step("drawn",
			e.command("View: Close All Editors"),
			e.opens("travel.aut"),
			e.command("inev: Draw this model"),
			e.shows("img", ""),
		),
		e.step("enlarged",
			e.clicks("label", "200 %"),
			e.shows("label:has(#double:checked)", "200 %"),
		),
		e.step("asked",
			e.command("View: Close All Editors"),
			e.opens("travel.aut"),
			e.command("inev: Check a property"),
			e.answers("property", "Response(BOOKING_REC; TICKET_REC)"),
			e.shows(tab, "travel.aut: Response"),
			e.shows(current, ""),
		),
		e.step("given",
			e.command("View: Close All Editors"),
			e.opens("found.seq"),
			e.command("inev: Explain the counterexample in this file"),
			e.chooses("travel.aut", "travel.aut"),
			e.answers("violates", formula),
			e.shows(tab, "found.seq"),
			e.shows(current, ""),
		),
		e.step("given-by-tlc",
			e.command("View: Close All Editors"),
			e.opens("never4.json"),
			e.command("inev: Explain the counterexample in this file"),
			e.chooses("jugs.dot", "jugs.dot"),
			e.answers("violates", "<>(big = 4)"),
			e.shows(tab, "never4.json"),
			e.shows(current, ""),
		),
	}
}

// specifications checks specifications with the server that is installed.
func specifications(e *editing) []func() error {
	return []func() error{
		e.step("verdicts",
			e.opens("travel.inev"),
			e.shows(lens, "✗"),
			e.command("Output: Show Output Channels..."),
			e.chooses("inev", "inev"),
			e.shows(".output-view-container, .part.panel", "the installed inev-ls answers"),
		),
		e.step("front-end",
			e.command("View: Hide Panel"),
			e.command("View: Close All Editors"),
			e.opens("link.mcrl2"),
			e.command("inev: Check a property"),
			e.answers("property", "Response(ask; answer)"),
			e.shows(tab, "link.mcrl2: Response"),
			e.shows(current, ""),
		),
		e.step("tla",
			e.command("View: Close All Editors"),
			e.opens("Lock.tla"),
			e.command("inev: Check a property"),
			e.answers("property", ""),
			e.shows(tab, "Lock.dot: Served"),
			e.shows(current, ""),
		),
		e.step("tla-walked",
			e.walks(kb.ArrowLeft, 1),
			e.shows(revealed, "17"),
			e.shows(".view-lines", "MODULE Lock"),
		),
	}
}

// restricted is work in a workspace that is not trusted.
func restricted(e *editing) []func() error {
	return []func() error{
		e.step("verdicts",
			e.opens("travel.inev"),
			e.shows(lens, "✗"),
			e.shows(".part.statusbar", "Restricted Mode"),
		),
		e.step("server",
			e.command("Output: Show Output Channels..."),
			e.chooses("inev", "inev"),
			e.shows(".part.panel", "the engine in the extension answers"),
		),
		e.step("front-end",
			e.opens("link.mcrl2"),
			e.command("inev: Check a property"),
			e.answers("property", "Response(ask; answer)"),
			e.shows(toast, "and trust the workspace"),
		),
		e.step("given",
			e.command("Notifications: Clear All Notifications"),
			e.opens("found.seq"),
			e.command("inev: Explain the counterexample in this file"),
			e.shows(toast, "not trusted"),
		),
	}
}

// inBrowser is work in the extension host of vscode.dev: a worker of the browser, which cannot
// start programs.
func inBrowser(e *editing) []func() error {
	return []func() error{
		e.step("verdicts",
			e.opens("travel.inev"),
			e.shows(lens, "✗"),
			e.shows(lens, "✓"),
		),
		e.step("host",
			e.command("Output: Show Output Channels..."),
			e.chooses("inev", "inev"),
			e.shows(".part.panel", "no program can be run here"),
			e.command("View: Hide Panel"),
		),
		e.step("explained",
			e.opens("travel.inev"),
			e.at("6:3"),
			e.command("inev: Explain the formula here"),
			e.shows(tab, "travel.aut: Inev"),
			e.shows(current, ""),
		),
		e.step("walked",
			e.walks(kb.ArrowLeft, 3),
			e.shows(revealed, "2"),
			e.shows(".view-lines", "des (0"),
		),
		e.step("drawn",
			e.command("View: Close All Editors"),
			e.opens("travel.aut"),
			e.command("inev: Draw this model"),
			e.shows("img", ""),
		),
	}
}

// walks presses a key of the page once for each step.
func (e *editing) walks(key string, steps int) func() error {
	return func() error {
		for range steps {
			const position = `find('[aria-selected="true"][data-position]', "")[0]?.element.dataset.position`
			if err := e.do(
				func() error {
					return e.holds(`(window.inevBefore = ` + position + `) !== undefined`)
				},
				e.press(key),
				func() error { return e.holds(position + ` !== window.inevBefore`) },
			); err != nil {
				return err
			}
		}
		return nil
	}
}
