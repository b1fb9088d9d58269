package draw

import (
	"fmt"
	"slices"
	"strings"
)

// crossArmLength is the extent, in points, of a cross in each direction from its middle.
const crossArmLength = 6

// isForbidden reports whether an arrow with these classes is crossed out.
func isForbidden(class string) bool {
	return slices.Contains(strings.Fields(class), "never")
}

// crossings returns where each forbidden arrow is crossed out, by the identifier of the arrow. It is the
// point nearest to the middle of the arrow at which the cross covers no label, no state and no other
// arrow; otherwise one at which it covers no label; otherwise the middle. The strokes become lines of the
// sketch, so that labels move away from them. Cost O(forbidden arrows · arrows).
func (s *sketch) crossings() map[string]point {
	crossings := map[string]point{}
	for _, arrow := range s.forbidden {
		lines := s.linesOf[arrow]
		if len(lines) == 0 {
			continue
		}
		along := fromMiddle(lines[0].points)
		isClear := func(p point) bool {
			area := crossArea(p)
			return !s.coversLabel(area) && !s.coversNode(area) && !s.coversOther(area, arrow)
		}
		coversNoLabel := func(p point) bool { return !s.coversLabel(crossArea(p)) }
		crossings[arrow] = along[0]
		for _, isGood := range []func(point) bool{isClear, coversNoLabel} {
			i := slices.IndexFunc(along, isGood)
			if i >= 0 {
				crossings[arrow] = along[i]
				break
			}
		}
	}
	for _, at := range crossings {
		for _, stroke := range strokesAt(at) {
			s.lines = append(s.lines, line{points: stroke, around: around(stroke).grown(1)})
		}
	}
	return crossings
}

// strokesAt returns the two strokes of a cross.
func strokesAt(p point) [2][]point {
	const arm = crossArmLength
	return [2][]point{
		{{p.x - arm, p.y - arm}, {p.x + arm, p.y + arm}},
		{{p.x - arm, p.y + arm}, {p.x + arm, p.y - arm}},
	}
}

// crossArea returns the area that a cross at p covers.
func crossArea(p point) box {
	return around([]point{p}).grown(crossArmLength + 1)
}

func (s *sketch) coversLabel(area box) bool {
	return slices.ContainsFunc(s.labels.All, func(l label) bool { return l.overlaps(area) })
}

func (s *sketch) coversNode(area box) bool {
	return slices.ContainsFunc(s.nodes, area.overlaps)
}

// coversOther reports whether an area meets an arrow other than the given one.
func (s *sketch) coversOther(area box, arrow string) bool {
	for id, lines := range s.linesOf {
		if id != arrow && crosses(area, lines) {
			return true
		}
	}
	return false
}

// fromMiddle returns the points of a line without its ends, those nearest to the middle of the line first.
func fromMiddle(points []point) []point {
	middle := len(points) / 2
	ordered := []point{points[middle]}
	for i := 1; middle-i > 0 && middle+i < len(points)-1; i++ {
		ordered = append(ordered, points[middle-i], points[middle+i])
	}
	return ordered
}

// crossAt returns two lines that cross out an arrow at a point.
func crossAt(p point) string {
	var lines strings.Builder
	for _, stroke := range strokesAt(p) {
		from := points(stroke[0].x) + "," + points(stroke[0].y)
		to := points(stroke[1].x) + "," + points(stroke[1].y)
		fmt.Fprintf(&lines, "\n"+`<path fill="none" stroke="%s" stroke-width="2.50" d="M%sL%s"/>`, vermillion, from, to)
	}
	return lines.String()
}
