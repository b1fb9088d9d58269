package main

// published returns the figures in Table 1 of the papers for a subject. The two versions of the
// paper print the same figures.
func published(name string) []figures {
	const (
		spin    = "*paper:* SPIN -i"
		contrex = "*paper:* Contrex"
	)
	switch name {
	case "Peterson":
		return []figures{
			{spin, "55", "", "80", "1968", ""},
			{contrex, "19", "", "85", "9469", ""},
		}
	case "Dekker":
		return []figures{
			{spin, "173", "", "539", "48593", ""},
			{contrex, "23", "", "543", "2.5·10⁶", ""},
		}
	case "Dijkstra":
		return []figures{
			{spin, "5", "", "211258", "1.96928·10⁹", ""},
			{contrex, "5", "", "209687", "654246", ""},
		}
	case "Hyman":
		return []figures{
			{spin, "97", "", "123", "7389", ""},
			{contrex, "17", "", "157", "40913", ""},
		}
	}
	return nil
}

// publishedRandom returns the figures in Table 2 for random graphs with this number of states.
func publishedRandom(states int) []randomRow {
	row := func(search, length, matched, found string) randomRow {
		return randomRow{
			search:  "*paper:* " + search,
			length:  length,
			matched: matched,
			found:   found,
		}
	}
	const (
		spin          = "SPIN -i / nested-DFS"
		contrex       = "Contrex / nested-DFS"
		contrexColour = "Contrex / color-DFS"
	)
	switch states {
	case 20:
		return []randomRow{
			row(spin, "3.2", "56.2", "2.8"),
			row(contrex, "3.2", "72.6", "3.4"),
			row(contrexColour, "3.2", "69.6", "3.4"),
		}
	case 100:
		return []randomRow{
			row(spin, "10.8", "290.8", "7"),
			row(contrex, "10.2", "531", "7.6"),
			row(contrexColour, "10.2", "522", "7.6"),
		}
	case 1000:
		return []randomRow{
			row(spin, "9.6", "2385", "19.4"),
			row(contrex, "8.6", "2727.6", "20.4"),
			row(contrexColour, "8.6", "2727", "20.4"),
		}
	}
	return nil
}
