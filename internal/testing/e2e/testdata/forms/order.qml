// The order form in QML. What it does goes through console.log to its standard error.
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts

ApplicationWindow {
	visible: true
	title: "Order"
	width: 500
	height: 600
	menuBar: MenuBar {
		Menu {
			title: "Edit"
			Action { text: "Clear"; onTriggered: { customer.clear(); console.log("cleared") } }
		}
	}
	ColumnLayout {
		TextField { id: customer; Accessible.name: "Customer"; placeholderText: "Customer" }
		CheckBox { id: gift; text: "Gift wrap" }
		ComboBox { id: size; model: ["Small", "Medium", "Large"]; Accessible.name: "Size" }
		SpinBox { id: amount; from: 0; to: 100; editable: true; Accessible.name: "Amount" }
		Button {
			text: "Send"
			onClicked: {
				console.log("sent " + customer.text + "|" + (gift.checked ? "True" : "False") + "|" + size.currentText + "|" + amount.value)
				done.text = "Thank you"
			}
		}
		Button { text: "Locked"; enabled: false; onClicked: console.log("clicked Locked") }
		Button { text: "Twin"; onClicked: console.log("clicked Twin") }
		Button { text: "Twin"; onClicked: console.log("clicked Twin") }
		Label { id: done; text: "Not sent" }
	}
	Component.onCompleted: console.log("shown")
}
