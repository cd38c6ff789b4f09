//go:build linux

package modelbench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
)

// order is a form with a control of each kind, one of them a list that a script makes.
func order() job {
	form := &form{page: "testdata/order.html"}
	return job{
		name: "order", needs: []string{"chromium"},
		text: "In chromium (process chromium, to be started as \"" + browser + "\"), open the page whose address stands in WORK/address.txt, and order: Full name Ada Lovelace, E-mail ada@example.org, " +
			"Delivery date 2027-03-04, Quantity 3, Shipping Courier, Product Copper kettle, Payment Card, Gift wrap, I accept the terms, Notes ring twice, Attachment WORK/quote.txt. Press Send order, and tell me what the page answers.",
		setup: func(p *player) {
			form.serve(p)
			p.write("quote.txt", "17 euro\n")
		},
		play: func(p *player) {
			p.known += "\n" + form.address
			p.call("open_application", object{"app_name": browser + " " + form.address, "timeout_ms": 60000})
			p.until("chromium", `button "Send order"`)
			step := func(tool, selector string, args object) any {
				args["process"], args["selector"] = "chromium", selector
				return object{"tool_name": tool, "arguments": args}
			}
			p.call("execute_sequence", object{"steps": []any{
				step("type_into_element", "role:entry && name:Full name", object{"text_to_type": "Ada Lovelace"}),
				step("type_into_element", "role:entry && name:E-mail", object{"text_to_type": "ada@example.org"}),
				step("set_value", "role:calendar && name:Delivery date", object{"value": "2027-03-04"}),
				step("set_value", "role:spinbutton && name:Quantity", object{"value": "3"}),
				step("select_option", "role:combobox && name:Shipping", object{"option_name": "Courier"}),
				step("select_option", "role:combobox && name:Product", object{"option_name": "Copper kettle"}),
				step("set_selected", "role:radiobutton && name:Card", object{"state": true}),
				step("set_selected", "role:checkbox && name:Gift wrap", object{"state": true}),
				step("set_selected", "role:checkbox && name:I accept the terms", object{"state": true}),
				step("type_into_element", "role:entry && name:Notes", object{"text_to_type": "ring twice"}),
				step("set_value", "role:button && name~:Attachment", object{"value": p.file("quote.txt")}),
				step("click_element", "role:button && name:Send order", object{}),
			}})
			p.until("chromium", "Thank you")
			form.received(p, url.Values{
				"name": {"Ada Lovelace"}, "mail": {"ada@example.org"}, "date": {"2027-03-04"}, "quantity": {"3"}, "shipping": {"Courier"}, "product": {"Copper kettle"},
				"payment": {"card"}, "gift": {"yes"}, "terms": {"yes"}, "notes": {"ring twice"}, "attachment": {"quote.txt"},
			})
		},
	}
}

// figures asks for what stands far down on a long page.
func figures() job {
	sales := &sales{}
	return job{
		name: "figures", needs: []string{"chromium"},
		text: "In chromium (process chromium, to be started as \"" + browser + "\"), open the report whose address stands in WORK/address.txt, and tell me the amount in the row of Bo137, " +
			"and what the list item that begins with Total says.",
		setup: sales.serve,
		play: func(p *player) {
			p.known += "\n" + sales.address
			p.call("open_application", object{"app_name": browser + " " + sales.address, "timeout_ms": 60000})
			p.until("chromium", "Sales")
			p.call("wait_for_element", object{"process": "chromium", "selector": "role:row && text:Bo137"})
			p.told("Bo137[^\n]*(8976)")
			p.call("wait_for_element", object{"process": "chromium", "selector": "text:Total"})
			p.told("Total (of 200 rows: 1799)")
		},
	}
}

// sales is a page with a table of 200 rows, and some text below it.
type sales struct{ address string }

func (s *sales) serve(p *player) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<title>Report</title><h1>Sales</h1><table><tr><th>Who<th>Where<th>Amount")
		for i := range 200 {
			fmt.Fprintf(w, "<tr><td>Bo%d<td>Bonn<td>%d", i+1, 8840+i)
		}
		fmt.Fprint(w, "</table><ul><li>Returns are not counted<li>Total of 200 rows: 1799</ul>")
	}))
	p.Cleanup(server.Close)
	s.address = server.URL
	p.write("address.txt", s.address)
}
