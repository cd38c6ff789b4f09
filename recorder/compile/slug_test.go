package compile

import "testing"

// TestNamesAreReadable makes names of what programs in many languages call things.
func TestNamesAreReadable(t *testing.T) {
	for text, want := range map[string]string{
		"Save As…":      "save_as",
		"Größe":         "groesse",
		"Gro\u0308ße":   "groesse", // the same, with a mark of its own
		"ÄNDERN":        "aendern",
		"Année, prénom": "annee_prenom",
		"Año":           "ano",
		"Zażółć":        "zazolc",
		"Dosya adı":     "dosya_adi",
		"Smørrebrød":    "smoerrebroed",
		"Имя файла":     "imya_fayla",
		"Щит и ёж":      "shchit_i_yozh",
		"Μέγεθος":       "megethos",
		"Œuvre":         "oeuvre",
		"ﬁle №2":        "file_no2",
		"名前":            "",
		"名前 2":          "n_2",
		"true":          "n_true",
		"  12×34 ":      "n_12_34",
		"don't":         "don_t",
		"Straße und Größe des zweiten Fensters": "strasse_und_groesse_des_zweite",
	} {
		if got := slug(text); got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
}
