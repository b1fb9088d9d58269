package inevtest

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// contextLines is the number of equal lines that are shown before and after different ones.
	contextLines = 2
	// mostCompared bounds the number of pairs of lines that are compared; of longer texts, all lines between the first and the
	// last difference count as different.
	mostCompared = 4_000_000
)

// An editLine is a line of two texts that are compared: ' ' marks a line of both, '-' one that only the first has, and '+' one
// that only the second has.
type editLine struct {
	mark byte
	text string
}

// difference returns the lines in which two texts differ, each behind its mark, with the equal lines around them.
func difference(want, got string) string {
	lines := editLines(strings.Split(want, "\n"), strings.Split(got, "\n"))
	isShown := make([]bool, len(lines))
	for i, line := range lines {
		if line.mark == ' ' {
			continue
		}
		for j := max(0, i-contextLines); j < min(len(lines), i+contextLines+1); j++ {
			isShown[j] = true
		}
	}
	var b strings.Builder
	number := 1 // of the line in the first text
	for i, line := range lines {
		if isShown[i] && (i == 0 || !isShown[i-1]) {
			fmt.Fprintf(&b, "line %d:\n", number)
		}
		if isShown[i] {
			fmt.Fprintf(&b, "%c %s\n", line.mark, line.text)
		}
		if line.mark != '+' {
			number++
		}
	}
	return b.String()
}

// editLines returns the lines of both texts in their order. As many lines as possible are marked as
// belonging to both texts. Cost O(len(a) · len(b)).
func editLines(a, b []string) []editLine {
	var head, tail []editLine
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, editLine{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, editLine{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(head, editMiddle(a, b), tail)
}

// editMiddle returns the lines of two texts that neither begin nor end with the same line. If the texts are
// too long to be compared, all lines of a are removed, and those of b added.
func editMiddle(a, b []string) []editLine {
	var lines []editLine
	i := 0
	j := 0
	if len(a)*len(b) <= mostCompared {
		common := commonLines(a, b)
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				lines = append(lines, editLine{' ', a[i]})
				i++
				j++
			case common[i+1][j] >= common[i][j+1]:
				lines = append(lines, editLine{'-', a[i]})
				i++
			default:
				lines = append(lines, editLine{'+', b[j]})
				j++
			}
		}
	}
	for _, text := range a[i:] {
		lines = append(lines, editLine{'-', text})
	}
	for _, text := range b[j:] {
		lines = append(lines, editLine{'+', text})
	}
	return lines
}

// commonLines returns a table: at [i][j], it has the largest number of lines that a[i:] and b[j:] have in
// common, in their order.
func commonLines(a, b []string) [][]int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}
