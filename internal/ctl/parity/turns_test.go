package parity_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/ctl/argument"
	oracle "github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// readTurn is a sentence about a turn, read again. Formulas that turns are about are numbered; 0 is none.
type readTurn struct {
	state, stage int
	steps        []readStep
	isChoosing   bool
	repeats      bool
}

type readStep struct {
	label     string
	to, stage int
	isChosen  bool
	isLast    bool
}

var (
	turnSentence = regexp.MustCompile(`^In (\d+)(?:#(\d+))?, (.*)\.$`)
	targetText   = regexp.MustCompile(`(\d+)((?:#\d+)*)(, which is enough|, where)?`)
	purposeText  = regexp.MustCompile(` and to (show|refute) `)
	answerText   = regexp.MustCompile(`every ([abcd]) leads to `)
	choiceText   = regexp.MustCompile(`(?:^choose (?:both )?|^then |, | and )([abcd]) to `)
)

// stages replaces the formulas in parentheses by numbers.
func stages(text string, known map[string]int) string {
	for {
		start := strings.Index(text, " (to ")
		if start < 0 {
			return text
		}
		end, depth := start+1, 0
		for ; ; end++ {
			if text[end] == '(' {
				depth++
			} else if text[end] == ')' {
				depth--
			}
			if depth == 0 {
				break
			}
		}
		numbers := ""
		purposes := purposeText.ReplaceAllString(text[start+len(" (to "):end], "\n$1 ")
		for _, purpose := range strings.Split(purposes, "\n") {
			if purpose == "go on" {
				numbers += "#0"
				continue
			}
			if known[purpose] == 0 {
				known[purpose] = len(known) + 1
			}
			numbers += "#" + strconv.Itoa(known[purpose])
		}
		text = text[:start] + numbers + text[end+1:]
	}
}

// readTurns reads the sentences of a strategy.
func readTurns(t rapid.TB, sentences []string) []readTurn {
	t.Helper()
	known := map[string]int{}
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	var all []readTurn
	for _, sentence := range sentences {
		found := turnSentence.FindStringSubmatch(stages(sentence, known))
		if found == nil {
			t.Fatalf("no sentence about a turn: %s", sentence)
		}
		turn := readTurn{state: number(found[1]), stage: number(found[2])}
		// A chain of turns has a part for each.
		for _, part := range strings.Split(strings.ReplaceAll(found[3], ", then ", "; then "), "; ") {
			if strings.HasPrefix(part, "then ") {
				last := turn.steps[len(turn.steps)-1]
				if len(turn.steps) != 1 || last.isLast {
					t.Fatalf("more than one step goes on: %s", sentence)
				}
				all = append(all, turn)
				turn = readTurn{state: last.to, stage: last.stage}
			}
			pattern := answerText
			switch {
			case part == "the loop repeats":
				turn.repeats = true
				continue
			case part == "no further step is asked about":
				continue
			case strings.HasPrefix(part, "choose "), strings.HasPrefix(part, "then "):
				pattern = choiceText
				turn.isChoosing = true
			}
			places := pattern.FindAllStringSubmatchIndex(part, -1)
			if places == nil {
				t.Fatalf("no steps: %s", sentence)
			}
			for i, place := range places {
				end := len(part)
				if i+1 < len(places) {
					end = places[i+1][0]
				}
				label, targets := part[place[2]:place[3]], part[place[1]:end]
				targets, _, isWhere := strings.Cut(targets, ", where")
				isTold := map[string]bool{}
				for _, target := range targetText.FindAllStringSubmatch(targets, -1) {
					if isTold[target[1]] {
						t.Fatalf("%s is told twice: %s", target[1], sentence)
					}
					isTold[target[1]] = true
					step := readStep{label: label, to: number(target[1]), isChosen: pattern == choiceText}
					stages := strings.Split(target[2], "#")[1:]
					for _, stage := range stages {
						step.stage = number(stage)
						if step.stage == 0 {
							step.stage = turn.stage
						}
						turn.steps = append(turn.steps, step)
					}
					step.isLast = target[3] != "" || isWhere
					step.stage = turn.stage
					if step.isLast || len(stages) == 0 {
						turn.steps = append(turn.steps, step)
					}
				}
			}
		}
		all = append(all, turn)
	}
	return all
}

// TestStrategiesInWords: with no other steps than those that the sentences choose, the formula has the same value by
// iteration over sets of states; where the sentences say that every step by a label leads somewhere, the model has these
// steps and no others; what they lead to has a sentence; and what recurs, or does not, is so on the graph of the steps.
func TestStrategiesInWords(t *testing.T) {
	met := map[string]int{}
	for range randomlts.Share(150) {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 79))
			w := &author{r: r, isMCL: rapid.Bool().Draw(t, "MCL"), noConstants: true}
			text := w.nested()
			m := randomModel(t)
			switch w.below(6) {
			case 0, 1:
				text = w.plain(2)
			case 2:
				text = w.plain(3)
			case 3:
				text = w.plain(4)
			case 4:
				m = drawModel(t, []string{"a", "b", "c", "d"})
				text = w.ofLevels()
			}
			if tooDeep(text) {
				t.Skip(text)
			}
			a, err := solve(t, m, text).Argue(context.Background(), m.Initial())
			if err != nil {
				t.Fatal(err)
			}
			each(a, func(claim *argument.Argument) {
				if isCut := strings.Contains(strings.Join(claim.Strategy, ""), "…"); len(claim.Strategy) > 0 && !isCut {
					isStrategy(t, m, claim, met)
				}
			})
		})
	}
	t.Log(met)
	if randomlts.Whole() && (met["valued"] < 2000 || met["again"] < 200 || met["at most"] < 8 || met["end"] < 200 || met["loop"] < 500 || met["complete"] < 1000 || met["chain"] < 30 || met["levels 1"] < 5 || met["levels 2"] < 6 || met["levels 3"] < 3) {
		t.Errorf("too little was met: %v", met)
	}
}

// isStrategy checks the sentences of a claim.
func isStrategy(t rapid.TB, m *lts.LTS, claim *argument.Argument, met map[string]int) {
	t.Helper()
	what := fmt.Sprintf("%s\n%s\n%v", claim.Text, strings.Join(claim.Strategy, "\n"), m)
	turns := readTurns(t, claim.Strategy)
	if len(turns) > len(claim.Strategy) {
		met["chain"]++
	}
	isChosen := map[string]bool{}
	key := func(from int, label string, to int) string { return fmt.Sprint(from, label, to) }
	for _, turn := range turns {
		answered := map[string][]int{}
		for _, step := range turn.steps {
			if step.isChosen {
				isChosen[key(turn.state, step.label, step.to)] = true
			} else {
				answered[step.label] = append(answered[step.label], step.to)
			}
			if !hasStep(m, turn.state, step.label, step.to) {
				t.Fatalf("no transition %d %s %d\n%s", turn.state, step.label, step.to, what)
			}
			if !step.isLast && !slices.ContainsFunc(turns, func(other readTurn) bool {
				return other.state == step.to && other.stage == step.stage
			}) {
				t.Fatalf("no sentence about %d\n%s", step.to, what)
			}
		}
		for label, states := range answered {
			for l, to := range m.From(lts.State(turn.state)) {
				if m.Alphabet().Text(l) == label && !slices.Contains(states, int(to)) {
					t.Fatalf("%d %s %d is left out\n%s", turn.state, label, to, what)
				}
			}
		}
	}
	recurs(t, turns, claim.Text, what, met)
	isComplete(t, m, claim, turns, what, met)
	variable := regexp.MustCompile(`^\(*(?:mu|nu) (X\d)`).FindStringSubmatch(claim.Formula)
	if variable == nil || isTrue(t, m, claim) == 0 {
		return
	}
	var b lts.Builder
	for transition := range m.Transitions() {
		b.Add(transition.From, b.Label(m.Alphabet().Text(transition.Label)), transition.To)
	}
	there, err := b.Build(claim.State, m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	holds, err := oracle.HoldsWith(there, claim.Formula, &oracle.Chosen{
		Variable: variable[1],
		Diamonds: claim.Holds,
		Step: func(from lts.State, label string, to lts.State) bool {
			return isChosen[key(int(from), label, int(to))]
		},
	})
	if err != nil || holds != claim.Holds {
		t.Fatalf("with these choices only it is %t, %v\n%s", holds, err, what)
	}
	met["valued"]++
}

var plainText = regexp.MustCompile(`^(?:mu|nu) X0 \. (?:mu|nu) X1 \. \((\(.*\))(?: and | && )(\(.*\))\)$`)

// isComplete checks for a disjunction of diamonds and a conjunction of boxes that all steps are told that may follow:
// those of the boxes, if the formula holds; those of the diamonds, if it does not and no step of a box is chosen.
func isComplete(t rapid.TB, m *lts.LTS, claim *argument.Argument, turns []readTurn, what string, met map[string]int) {
	t.Helper()
	found := plainText.FindStringSubmatch(claim.Formula)
	if found == nil {
		return
	}
	meant := found[2]
	if !claim.Holds {
		meant = found[1]
	}
	for _, turn := range turns {
		if turn.isChoosing && !claim.Holds {
			continue
		}
		for l, to := range m.From(lts.State(turn.state)) {
			label := m.Alphabet().Text(l)
			isAsked := regexp.MustCompile(`[\[<]"?` + label + `"?[\]>]`).MatchString(meant)
			if isAsked && !slices.ContainsFunc(turn.steps, func(step readStep) bool {
				return !step.isChosen && step.label == label && step.to == int(to)
			}) {
				t.Fatalf("in %d, %s to %d is not told\n%s", turn.state, label, to, what)
			}
		}
		met["complete"]++
	}
}

func hasStep(m *lts.LTS, from int, label string, to int) bool {
	for l, target := range m.From(lts.State(from)) {
		if m.Alphabet().Text(l) == label && int(target) == to {
			return true
		}
	}
	return false
}

var (
	againText  = regexp.MustCompile(`goes on forever takes ([abcd, or]+?) again and again, (?:at each step|each time after at most (\d+) other)`)
	endText    = regexp.MustCompile(`they end after at most (\d+), in`)
	atMostText = regexp.MustCompile(`of these steps takes ([abcd, or]+?) at most (?:(\d+) times|once)(?: in all|, and one)`)
	// levelsText has the fixpoints from the one that must recur to the last one that is named.
	levelsText = regexp.MustCompile(`goes on forever (takes (?:[abcd]|, | or )+ again and again(?:,? or takes .* only finitely often.*|))\.$`)
	levelText  = regexp.MustCompile(`takes ((?:[abcd]|, | or )+) (again and again|only finitely often)`)
)

// recurs checks what is said of the loops of a strategy, by its paths of up to a length.
func recurs(t rapid.TB, turns []readTurn, text, what string, met map[string]int) {
	t.Helper()
	number := func(state, stage int) int {
		return slices.IndexFunc(turns, func(turn readTurn) bool { return turn.state == state && turn.stage == stage })
	}
	// longest returns the largest number of counted steps on a path of a length from turns, by steps that pass.
	longest := func(from []int, length int, passes, counts func(readStep) bool) int {
		most := map[int]int{}
		for _, turn := range from {
			most[turn] = 0
		}
		largest := 0
		for range length {
			next := map[int]int{}
			for turn, n := range most {
				for _, step := range turns[turn].steps {
					if !passes(step) {
						continue
					}
					with := n
					if counts(step) {
						with++
					}
					if step.isLast {
						largest = max(largest, with)
						continue
					}
					to := number(step.to, step.stage)
					next[to] = max(next[to], with)
					largest = max(largest, with)
				}
			}
			most = next
		}
		return largest
	}
	all := make([]int, len(turns))
	for i := range turns {
		all[i] = i
		if turns[i].repeats {
			met["loop"]++
			if longest([]int{i}, 2*len(turns), func(readStep) bool { return true }, func(readStep) bool { return true }) < 2*len(turns) {
				t.Fatalf("no loop behind %d\n%s", turns[i].state, what)
			}
			for _, step := range turns[i].steps {
				if to := number(step.to, step.stage); step.isLast || to > i {
					t.Fatalf("%d is said to be told already\n%s", step.to, what)
				}
			}
		}
	}
	isAny := func(readStep) bool { return true }
	length := 3 * len(turns)
	if found := endText.FindStringSubmatch(text); found != nil {
		met["end"]++
		most, _ := strconv.Atoi(found[1])
		if n := longest([]int{0}, length, isAny, isAny); n != most {
			t.Fatalf("%d steps, not %d\n%s", n, most, what)
		}
	}
	if found := againText.FindStringSubmatch(text); found != nil {
		met["again"]++
		isOther := func(step readStep) bool { return !step.isLast && !strings.Contains(found[1], step.label) }
		most, _ := strconv.Atoi(found[2])
		if n := longest(all, length, isOther, isAny); n != most {
			t.Fatalf("%d other steps, not %d\n%s", n, most, what)
		}
	}
	if found := levelsText.FindStringSubmatch(text); found != nil && !strings.Contains(found[1], "unfolds") {
		levels := levelText.FindAllStringSubmatch(found[1], -1)
		met[fmt.Sprintf("levels %d", len(levels))]++
		named := "" // the labels of the levels so far, which the runs that remain do not take
		for _, level := range levels {
			isOther := func(step readStep) bool { return !step.isLast && !strings.Contains(named, step.label) }
			isMeant := func(step readStep) bool { return strings.Contains(level[1], step.label) }
			if level[2] == "only finitely often" {
				if n, more := longest(all, length, isOther, isMeant), longest(all, 2*length, isOther, isMeant); n != more {
					t.Fatalf("%d times %s, or %d\n%s", n, level[1], more, what)
				}
			}
			named += level[1]
		}
		isOther := func(step readStep) bool { return !step.isLast && !strings.Contains(named, step.label) }
		lastMustRecur := levels[len(levels)-1][2] == "again and again"
		if n := longest(all, length, isOther, isAny); lastMustRecur && n >= length {
			t.Fatalf("%d other steps\n%s", n, what)
		}
	}
	if found := atMostText.FindStringSubmatch(text); found != nil {
		met["at most"]++
		isMeant := func(step readStep) bool { return !step.isLast && strings.Contains(found[1], step.label) }
		most, err := strconv.Atoi(found[2])
		if err != nil {
			most = 1
		}
		if n := longest([]int{0}, length, isAny, isMeant); n != most {
			t.Fatalf("%d times, not %d\n%s", n, most, what)
		}
	}
}

// plain writes two, three or four fixpoints around a disjunction of diamonds and a conjunction of boxes.
func (w *author) plain(fixpoints int) string {
	variables := []string{"X0", "X1", "X2", "X3"}[:fixpoints]
	kinds := []string{"mu ", "nu "}
	first := w.below(2)
	modalities := func(brackets, sign string) string {
		var all []string
		for range 1 + w.below(3) {
			l := w.pick(letters...)
			all = append(all, brackets[:1]+w.either(`"`+l+`"`, l)+brackets[1:]+" "+w.pick(variables...))
		}
		return "(" + strings.Join(all, sign) + ")"
	}
	text := ""
	for i, variable := range variables {
		text += kinds[(first+i)%2] + variable + " . "
	}
	return text + "(" +
		modalities("<>", w.either(" or ", " || ")) + w.either(" and ", " && ") + modalities("[]", w.either(" and ", " && ")) + ")"
}

// ofLevels writes four fixpoints, each of which is unfolded after steps by one label.
func (w *author) ofLevels() string {
	labels := []string{"a", "b", "c", "d"}
	w.r.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	kinds := []string{"mu ", "nu "}
	first := w.below(2)
	text := ""
	var steps []string
	for i, l := range labels {
		text += fmt.Sprintf("%sX%d . ", kinds[(first+i)%2], i)
		brackets := w.pick("<>", "[]", "[]")
		steps = append(steps, fmt.Sprintf("%c%s%c X%d", brackets[0], w.either(`"`+l+`"`, l), brackets[1], i))
	}
	if w.below(2) == 0 {
		allBoxes := strings.NewReplacer("<", "[", ">", "]").Replace(strings.Join(steps, w.either(" and ", " && ")))
		return text + "(" + allBoxes + ")"
	}
	return text + "(" + strings.Join(steps, w.either(" and ", " && ")) + ")"
}
