package kinds

import (
	"regexp"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/observe"
)

// refOf is the ref that a written tree gives an element.
func refOf(t *testing.T, tree any, line string) string {
	t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(line) + ` \[ref=(e\d+)\]`).FindStringSubmatch(tree.(string))
	if m == nil {
		t.Fatalf("there is no %s in:\n%v", line, tree)
	}
	return m[1]
}

func TestARefNeverMeansTwoElements(t *testing.T) {
	d := fake.New(fake.MustParse(notes + "\n- frame \"Other\" [process=other] [at=500,0,200,200]\n  - label \"One\"\n  - button \"Go\" [at=510,40,80,24]\n")...)
	defer d.Close()
	env := seeing(d)
	env.Trees = &observe.ShownTrees{}
	show := func(process string) any {
		t.Helper()
		o := GetWindowTree.Run(t.Context(), env, args("process", process))
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		return o.Result["ui_tree"]
	}
	save := refOf(t, show("notes"), `button "Save"`)
	goes := refOf(t, show("other"), `button "Go"`)
	if save == goes {
		t.Fatalf("two buttons have the ref %s", save)
	}
	if again := refOf(t, show("notes"), `button "Save"`); again != save {
		t.Errorf("a button that was shown as %s is shown as %s", save, again)
	}
	d.Add(d.Find("name:Other"), fake.Button("New").At(510, 80, 80, 24))
	o := ClickElement.Run(t.Context(), env, args("process", "other", "selector", "name:Go", "ui_diff_before_after", true))
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	if e := o.Result["element"].(map[string]any); e["ref"] != goes {
		t.Errorf("the button that was shown as %s was clicked as %v", goes, e["ref"])
	}
	o = ClickElement.Run(t.Context(), env, args("process", "notes", "selector", "name:Urgent", "ui_diff_before_after", true))
	if o.Err != nil || !strings.Contains(o.Result["ui_diff"].(string), "checkbox") {
		t.Fatalf("%v, %v", o.Result, o.Err)
	}
	if o = ClickElement.Run(t.Context(), env, args("ref", save)); o.Err != nil || o.Result["element"].(map[string]any)["name"] != "Save" {
		t.Errorf("the ref %s of an earlier tree clicked %v, %v; want Save", save, o.Result["element"], o.Err)
	}
}

func TestAStaleRefOffersTheNearest(t *testing.T) {
	for _, c := range []struct{ say, now, want string }{
		{"the same again", `button "Go on"`, `like it now: button "Go on" [ref=`},
		{"one that is called nearly so", `button "Go on!"`, `like it now: button "Go on!" [ref=`},
		{"nothing like it", `button "Quit"`, "look at the elements"},
	} {
		d := fake.New(fake.MustParse("- frame \"Other\" [process=other] [at=500,0,200,200]\n  - button \"Go on\" [at=510,40,80,24]\n")...)
		defer d.Close()
		env := seeing(d)
		env.Trees = &observe.ShownTrees{}
		shown := GetWindowTree.Run(t.Context(), env, args("process", "other"))
		ref := refOf(t, shown.Result["ui_tree"], `button "Go on"`)
		d.Remove(d.Find(`name:"Go on"`))
		d.Add(d.Find("name:Other"), fake.MustParse("- " + c.now + " [at=510,80,80,24]")[0])
		o := ClickElement.Run(t.Context(), env, args("ref", ref))
		if o.Err == nil || !strings.Contains(o.Err.Error(), "the ref "+ref+` is stale: button "Go on" in "Other" is gone`) || !strings.Contains(o.Err.Next, c.want) {
			t.Errorf("%s: %v, want it to say %s", c.say, o.Err, c.want)
			continue
		}
		if m := regexp.MustCompile(`\[ref=(e\d+)\]`).FindStringSubmatch(o.Err.Next); m != nil {
			if o = ClickElement.Run(t.Context(), env, args("ref", m[1])); o.Err != nil {
				t.Errorf("%s: the ref that was offered: %v", c.say, o.Err)
			}
		}
	}
}

// A list that is scrolled shows another row in the place and with the handle of the one
// before: a ref does not mean that.
func TestARefOfARowThatShowsAnotherIsStale(t *testing.T) {
	d := fake.New(fake.MustParse("- frame \"Other\" [process=other] [at=500,0,200,200]\n  - list [at=510,30,90,90]:\n    - listitem \"Ada\" [at=510,40,80,24]\n")...)
	defer d.Close()
	env := seeing(d)
	env.Trees = &observe.ShownTrees{}
	ref := refOf(t, GetWindowTree.Run(t.Context(), env, args("process", "other")).Result["ui_tree"], `listitem "Ada"`)
	d.Set(d.Find("name:Ada"), func(e *desktop.Element) { e.Name = "Grace" })
	o := ClickElement.Run(t.Context(), env, args("ref", ref))
	if o.Err == nil || !strings.Contains(o.Err.Error(), "is stale") || o.Acted != steps.ActedNo {
		t.Errorf("acted %s, %v; want that the ref is stale", o.Acted, o.Err)
	}
}
