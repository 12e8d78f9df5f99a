package dsl

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// number scans a number literal: everything up to the first character that cannot continue one, so that what is wrong
// with it is one error at its start.
func (s *scanner) number() {
	hex := s.at(0) == '0' && s.at(1)|0x20 == 'x'
	n := 0
	for {
		c := s.at(n)
		if isExponent(c, hex) && (s.at(n+1) == '+' || s.at(n+1) == '-') {
			n += 2
			continue
		}
		if !isLetter(c) && !isDigit(c) && c != '.' {
			if c < utf8.RuneSelf {
				break
			}
			word := scanner{src: s.src, off: s.off + n}
			k := word.wordLen()
			if k == 0 {
				break
			}
			n += k
			continue
		}
		n++
	}
	lit := s.src[s.off : s.off+n]
	typ := tokInt
	if strings.IndexByte(lit, '.') >= 0 || !hex && strings.ContainsAny(lit, "eE") || hex && strings.ContainsAny(lit, "pP") {
		typ = tokFloat
	}
	if strings.HasSuffix(lit, "i") && numberFault(lit[:n-1]) == "" {
		s.errs.Report(&NotInLanguageError{At: position(s.pos()), To: position(s.pos()).Advance(n), What: "imaginary literals"})
	} else if fault := numberFault(lit); fault != "" {
		s.errs.Report(&NumberError{At: position(s.pos()), Text: lit, Fault: fault})
	}
	s.emit(typ, n, true)
}

func isExponent(c byte, hex bool) bool {
	if hex {
		return c|0x20 == 'p'
	}
	return c|0x20 == 'e'
}

// Malformed reports a literal that breaks Go's grammar: Parse has reported it.
func (e *BasicLit) Malformed() bool {
	if e.Kind == IntLit || e.Kind == FloatLit {
		return numberFault(e.Value) != ""
	}
	_, err := strconv.Unquote(e.Value)
	return err != nil
}

// numberFault says what is wrong with a number literal by Go's grammar, or nothing.
func numberFault(lit string) string {
	base, rest, kind := 10, lit, "decimal"
	if len(lit) > 1 && lit[0] == '0' {
		switch lit[1] | 0x20 {
		case 'x':
			base, rest, kind = 16, lit[2:], "hexadecimal"
		case 'o':
			base, rest, kind = 8, lit[2:], "octal"
		case 'b':
			base, rest, kind = 2, lit[2:], "binary"
		}
	}
	prefix := base != 10
	mantissa, exponent, hasExponent := rest, "", false
	for i := range len(rest) {
		if isExponent(rest[i], base == 16) && (base == 10 || base == 16) {
			mantissa, exponent, hasExponent = rest[:i], rest[i+1:], true
			break
		}
	}
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if strings.IndexByte(fraction, '.') >= 0 {
		return "it has two points; a range is written `lo:hi`"
	}
	if (hasPoint || hasExponent) && (base == 2 || base == 8) {
		return article(kind) + " " + kind + " literal has no fraction"
	}
	if !prefix && !hasPoint && !hasExponent && len(whole) > 1 && whole[0] == '0' {
		base, kind = 8, "octal"
	}
	digits := 0
	for _, c := range []byte(whole + fraction) {
		d := 99
		switch {
		case isDigit(c):
			d = int(c - '0')
		case c == '_':
			continue
		case isLetter(c):
			d = int(c|0x20-'a') + 10
		}
		if d >= base {
			if d < 10 {
				return "digit `" + string(c) + "` in " + article(kind) + " " + kind + " literal"
			}
			return "a name or a letter follows it without a space; numbers have no suffix"
		}
		digits++
	}
	if digits == 0 {
		return article(kind) + " " + kind + " literal needs digits"
	}
	if hasPoint && base == 16 && !hasExponent {
		return "a hexadecimal fraction needs an exponent `p`"
	}
	if hasExponent {
		e := strings.TrimLeft(exponent, "+-")
		for _, c := range []byte(e) {
			if !isDigit(c) && c != '_' {
				return "a name or a letter follows it without a space; numbers have no suffix"
			}
		}
		if strings.Trim(e, "_") == "" {
			return "its exponent has no digits"
		}
		if len(exponent)-len(e) > 1 {
			return "its exponent has two signs"
		}
	}
	if !underscores(lit, prefix) {
		return "`_` must stand between digits"
	}
	return ""
}

// underscores reports whether every `_` stands between digits, or between the prefix of the base and a digit.
func underscores(lit string, prefix bool) bool {
	last := byte('.')
	for i, c := range []byte(lit) {
		isNum := isDigit(c) || isLetter(c) && c != '_'
		if prefix && i == 1 {
			isNum = true
		} else if !prefix && c|0x20 == 'e' || prefix && c|0x20 == 'p' {
			isNum = false
		}
		kind := byte('.')
		switch {
		case c == '_':
			kind = '_'
		case isNum:
			kind = '0'
		}
		if kind == '_' && last != '0' || kind == '.' && last == '_' {
			return false
		}
		last = kind
	}
	return last != '_'
}

func article(word string) string {
	if strings.IndexByte("aeiou", word[0]) >= 0 {
		return "an"
	}
	return "a"
}
