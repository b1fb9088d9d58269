package argument

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// told is a claim as the text of an argument has it, line by line.
type told struct {
	sentence string
	steps    []told1Step
	gap      int // steps that are counted only
	layers   []toldLayer
	moreL    int // layers that are counted only
	because  []*told
	also     []lts.State
	alsoMore int
	others   int
	left     int
}

type told1Step struct {
	lts.Transition
	loops    bool
	afterGap bool
}

type toldLayer struct {
	count, done int
	first       []lts.State
	cut         bool
	labels      string
}

var (
	stepLine   = regexp.MustCompile(`^(↻ |  )(\d+) -(.*)-> (\d+)$`)
	gapLine    = regexp.MustCompile(`^   … (\d+) more$`)
	layerLine  = regexp.MustCompile(`^after (\d+) steps?: (\d+) states? \{([^}]*)\}(?:, decided in (\d+))?(?:; on by (.*))?$`)
	moreLayers = regexp.MustCompile(`^… (\d+) more layers$`)
	alsoLine   = regexp.MustCompile(`^The same holds in states? ([0-9, ]*[0-9])(?: and (\d+) more)?\.$`)
	othersLine = regexp.MustCompile(`^The same holds in (\d+) other states?\.$`)
	leftLine   = regexp.MustCompile(`^… (\d+) more claims? (?:is|are) left out here\.$`)
	leastLine  = regexp.MustCompile(`^No argument of this kind has fewer than (\d+) transitions? on its runs\.$`)
)

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// readText reads the text of an argument. least is the number of transitions of which no
// argument has fewer; -1 if nothing is said of it.
func readText(m *lts.LTS, text string) (root *told, least int, err error) {
	labels := map[string]lts.Label{}
	for l := range m.Alphabet().Len() {
		labels[m.Alphabet().Text(lts.Label(l))] = lts.Label(l)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	root, least = &told{sentence: lines[0]}, -1
	open := []*told{root} // by depth
	for _, line := range lines[1:] {
		if found := leastLine.FindStringSubmatch(line); found != nil {
			least = number(found[1])
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		rest := line[indent:]
		if claim, is := strings.CutPrefix(rest, "- "); is {
			depth := (indent-2)/4 + 1
			if (indent-2)%4 != 0 || depth > len(open) {
				return nil, 0, fmt.Errorf("indented by %d: %q", indent, line)
			}
			c := &told{sentence: claim}
			open[depth-1].because = append(open[depth-1].because, c)
			open = append(open[:depth], c)
			continue
		}
		// What belongs to a claim is indented by two more, steps by four, or two and a sign.
		depth := (indent - 2) / 4
		if strings.HasPrefix(rest, "↻ ") {
			rest = "↻ " + rest[len("↻ "):]
		} else if depth = (indent - 2) / 4; stepLine.MatchString("  "+rest) && (indent-4)%4 == 0 {
			depth, rest = (indent-4)/4, "  "+rest
		} else if gapLine.MatchString("   " + rest) {
			depth, rest = (indent-5)/4, "   "+rest
		}
		if depth >= len(open) {
			return nil, 0, fmt.Errorf("indented by %d: %q", indent, line)
		}
		if err := open[depth].take(rest, labels); err != nil {
			return nil, 0, err
		}
	}
	return root, least, nil
}

// take reads a line that belongs to a claim.
func (c *told) take(line string, labels map[string]lts.Label) error {
	if f := stepLine.FindStringSubmatch(line); f != nil {
		l, known := labels[f[3]]
		if !known {
			return fmt.Errorf("no label: %q", line)
		}
		c.steps = append(c.steps, told1Step{lts.Transition{From: lts.State(number(f[2])), Label: l, To: lts.State(number(f[4]))}, f[1] == "↻ ",
			c.gap > 0 && len(c.steps) == shownSteps/2})
		return nil
	}
	if f := layerLine.FindStringSubmatch(line); f != nil {
		l := toldLayer{count: number(f[2]), done: number(f[4]), labels: f[5]}
		var err error
		if number(f[1]) != len(c.layers) {
			err = fmt.Errorf("layer out of order: %q", line)
		}
		l.first, l.cut = states(f[3])
		c.layers = append(c.layers, l)
		return err
	}
	for _, one := range []struct {
		form *regexp.Regexp
		into *int
	}{{gapLine, &c.gap}, {moreLayers, &c.moreL}, {othersLine, &c.others}, {leftLine, &c.left}} {
		if f := one.form.FindStringSubmatch(line); f != nil {
			*one.into = number(f[1])
			return nil
		}
	}
	if f := alsoLine.FindStringSubmatch(line); f != nil {
		c.also, _ = states(f[1])
		c.alsoMore = number(f[2])
		return nil
	}
	return fmt.Errorf("not understood: %q", line)
}

// states reads a list of states, and reports whether it is cut.
func states(text string) (all []lts.State, cut bool) {
	for _, one := range strings.Split(text, ", ") {
		if one == "…" {
			cut = true
			continue
		}
		all = append(all, lts.State(number(one)))
	}
	return all, cut
}
