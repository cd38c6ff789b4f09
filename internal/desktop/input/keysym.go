package input

import (
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"
)

// SymOf returns the keysym that types a character.
func SymOf(r rune) uint32 {
	switch {
	case r == '\n' || r == '\r':
		return 0xff0d
	case r == '\t':
		return 0xff09
	case r < 0x100:
		return uint32(r)
	}
	return symUnicode | uint32(r)
}

// Typeable returns the keysyms that type a text. It fails if a character cannot be typed.
func Typeable(text string) ([]uint32, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("the text to type is not valid UTF-8")
	}
	syms := make([]uint32, 0, len(text))
	var before rune
	for _, c := range text {
		switch {
		case c == '\n' && before == '\r':
		case unicode.IsControl(c) && c != '\n' && c != '\r' && c != '\t':
			return nil, fmt.Errorf("the text to type holds the control character %U: press a key instead", c)
		default:
			syms = append(syms, SymOf(c))
		}
		before = c
	}
	return syms, nil
}

// CharOf returns the character that a keysym types, or 0.
func CharOf(sym uint32) rune {
	switch {
	case sym >= 0x20 && sym <= 0x7e, sym >= 0xa0 && sym <= 0xff:
		return rune(sym)
	case sym&0xff000000 == symUnicode:
		return rune(sym &^ symUnicode)
	case sym >= 0xffaa && sym <= 0xffb9 || sym == 0xffbd: // the number pad
		return rune(sym - 0xff80)
	}
	return oldChars()[sym]
}

// symUnicode is the bit of keysyms that hold the code point of a character.
const symUnicode = 0x01000000

// oldChars returns the characters of the keysyms that are older than Unicode.
var oldChars = sync.OnceValue(func() map[uint32]rune {
	chars := map[uint32]rune{}
	for first, text := range oldSyms {
		for i, r := range []rune(text) {
			if r != 0 {
				chars[first+uint32(i)] = r
			}
		}
	}
	return chars
})

// oldSyms are the characters of consecutive keysyms, by the first of them; a zero is a
// gap: Latin 2 to 4, Katakana, Arabic, Cyrillic, Greek, technical and typographic signs,
// Hebrew, Thai, Korean, Latin 8 and 9.
var oldSyms = map[uint32]string{
	0x01a1: "Ą˘Ł\x00ĽŚ\x00\x00ŠŞŤŹ\x00ŽŻ\x00ą˛ł\x00ľśˇ\x00šşťź˝žżŔ\x00\x00Ă\x00ĹĆ\x00Č\x00Ę\x00Ě\x00\x00ĎĐŃŇ\x00\x00Ő\x00\x00ŘŮ\x00Ű\x00\x00Ţ\x00ŕ\x00\x00ă\x00ĺć\x00č\x00ę\x00ě\x00\x00ďđńň\x00\x00ő\x00\x00řů\x00ű\x00\x00ţ˙",
	0x02a1: "Ħ",
	0x02a6: "Ĥ\x00\x00İ\x00ĞĴ",
	0x02b1: "ħ",
	0x02b6: "ĥ\x00\x00ı\x00ğĵ",
	0x02c5: "ĊĈ",
	0x02d5: "Ġ\x00\x00Ĝ",
	0x02dd: "ŬŜ",
	0x02e5: "ċĉ",
	0x02f5: "ġ\x00\x00ĝ",
	0x02fd: "ŭŝ",
	0x03a2: "ĸŖ\x00ĨĻ\x00\x00\x00ĒĢŦ",
	0x03b3: "ŗ\x00ĩļ\x00\x00\x00ēģŧŊ\x00ŋĀ",
	0x03c7: "Į",
	0x03cc: "Ė\x00\x00Ī\x00ŅŌĶ",
	0x03d9: "Ų\x00\x00\x00ŨŪ\x00ā",
	0x03e7: "į",
	0x03ec: "ė\x00\x00ī\x00ņōķ",
	0x03f9: "ų\x00\x00\x00ũū",
	0x047e: "‾",
	0x04a1: "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜",
	0x05ac: "\u060c",
	0x05bb: "\u061b\x00\x00\x00\u061f\x00\u0621\u0622\u0623\u0624\u0625\u0626\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a",
	0x05e0: "\u0640\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652",
	0x06a1: "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ",
	0x07a1: "ΆΈΉΊΪ\x00ΌΎΫ\x00Ώ\x00\x00΅―\x00άέήίϊΐόύϋΰώ",
	0x07c1: "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣ\x00ΤΥΦΧΨΩ",
	0x07e1: "αβγδεζηθικλμνξοπρσςτυφχψω",
	0x08a1: "⎷┌─⌠⌡│⎡⎣⎤⎦⎛⎝⎞⎠⎨⎬",
	0x08bc: "≤≠≥∫∴∝∞\x00\x00∇\x00\x00∼≃\x00\x00\x00⇔⇒≡",
	0x08d6: "√\x00\x00\x00⊂⊃∩∪∧∨",
	0x08ef: "∂",
	0x08f6: "ƒ",
	0x08fb: "←↑→↓",
	0x09e0: "◆▒␉␌␍␊\x00\x00␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│",
	0x0aa1: "\u2003\u2002\u2004\u2005\u2007\u2008\u2009\u200a—–\x00␣\x00…‥⅓⅔⅕⅖⅗⅘⅙⅚℅\x00\x00‒〈.〉",
	0x0ac3: "⅛⅜⅝⅞\x00\x00™☓\x00◁▷○▯‘’“”℞‰′″\x00✝\x00▬◀▶●▮◦▫▭△▽☆•▪▲▼☜☞♣♦♥\x00✠†‡✓✗♯♭♂♀☎⌕℗‸‚„",
	0x0ba3: "<\x00\x00>\x00∨∧",
	0x0bc0: "¯\x00⊤∩⌊\x00_\x00\x00\x00∘\x00⎕\x00⊥○\x00\x00\x00⌈\x00\x00∪\x00⊃\x00⊂\x00⊣",
	0x0bfc: "⊢",
	0x0cdf: "‗\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05da\u05db\u05dc\u05dd\u05de\u05df\u05e0\u05e1\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9\u05ea",
	0x0da1: "\u0e01\u0e02\u0e03\u0e04\u0e05\u0e06\u0e07\u0e08\u0e09\u0e0a\u0e0b\u0e0c\u0e0d\u0e0e\u0e0f\u0e10\u0e11\u0e12\u0e13\u0e14\u0e15\u0e16\u0e17\u0e18\u0e19\u0e1a\u0e1b\u0e1c\u0e1d\u0e1e\u0e1f\u0e20\u0e21\u0e22\u0e23\u0e24\u0e25\u0e26\u0e27\u0e28\u0e29\u0e2a\u0e2b\u0e2c\u0e2d\u0e2e\u0e2f\u0e30\u0e31\u0e32\u0e33\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a",
	0x0ddf: "\u0e3f\u0e40\u0e41\u0e42\u0e43\u0e44\u0e45\u0e46\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e4d\x00\x00\u0e50\u0e51\u0e52\u0e53\u0e54\u0e55\u0e56\u0e57\u0e58\u0e59",
	0x0ea1: "ㄱㄲㄳㄴㄵㄶㄷㄸㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅃㅄㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣᆨᆩᆪᆫᆬᆭᆮᆯᆰᆱᆲᆳᆴᆵᆶᆷᆸᆹᆺᆻᆼᆽᆾᆿᇀᇁᇂㅭㅱㅸㅿㆁㆄㆆㆍㆎᇫᇰᇹ",
	0x0eff: "₩",
	0x13bc: "ŒœŸ",
	0x20ac: "€",
}
