// The form of scrolled.py in Qt Quick. What scrolls in it is dragged, has no scroll bars
// and no element of its own. "Beside" is at the end of a row that scrolls across. Where
// the wheel is turned over its numbers they change, and it tells that.
import QtQuick
import QtQuick.Controls

ApplicationWindow {
	visible: true
	title: "Scrolled"
	width: 400
	height: 300
	Flickable {
		anchors.fill: parent
		contentHeight: form.height
		Column {
			id: form
			width: parent.width
			Button { text: "Near"; onClicked: console.log("clicked Near") }
			Repeater {
				model: 6
				Column {
					Repeater { model: 3; Label { text: "Line " + index } }
					SpinBox { to: 100; value: 50; wheelEnabled: true; onValueModified: console.log("wheel") }
					Slider { to: 100; value: 50; wheelEnabled: true; onMoved: console.log("wheel") }
					ComboBox { model: 9; currentIndex: 4; wheelEnabled: true; Accessible.name: "Number"; onActivated: console.log("wheel") }
				}
			}
			Button { text: "Far"; onClicked: console.log("clicked Far") }
			TextField { Accessible.name: "Name"; onTextChanged: console.log("name " + text) }
			CheckBox { text: "Agree"; onCheckedChanged: console.log("agree " + (checked ? "True" : "False")) }
			ListView {
				width: 200
				height: 120
				clip: true
				cacheBuffer: 2000
				model: 15
				delegate: Button { text: index < 14 ? "Row " + index : "Deep"; onClicked: console.log("clicked " + text) }
			}
			Flickable {
				width: parent.width
				height: 30
				contentWidth: row.width
				clip: true
				Row {
					id: row
					Repeater { model: 12; Label { text: "Column " + index } }
					Button { text: "Beside"; onClicked: console.log("clicked Beside") }
				}
			}
		}
	}
}
