package dsl

// Distance is how many letters must be added, dropped, changed or swapped with their neighbour to make b of a.
func Distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 40
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// meant is the one of some words that a name is most likely a slip of, or nothing.
func meant(t *token, words ...string) string {
	if t.Type != tokIdent {
		return ""
	}
	for _, w := range words {
		if Distance(t.Value, w) == 1 {
			return w
		}
	}
	return ""
}
