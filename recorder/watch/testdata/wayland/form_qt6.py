import sys, json
from PyQt6.QtWidgets import *
out = sys.argv[1]
app = QApplication(sys.argv)
w = QWidget(windowTitle="Order")
w.resize(500, 500)
form = QFormLayout(w)
name, town, secret = QLineEdit(), QLineEdit(), QLineEdit()
secret.setEchoMode(QLineEdit.EchoMode.Password)
form.addRow("Name", name)
form.addRow("Town", town)
form.addRow("Password", secret)
gift, post, courier = QCheckBox("Gift"), QRadioButton("Post"), QRadioButton("Courier")
post.setChecked(True)
for b in (gift, post, courier): form.addRow(b)
colour = QComboBox()
colour.addItems(["Red", "Green", "Blue"])
form.addRow("Colour", colour)
said = QLabel("Nothing sent")
def send():
    said.setText("Sent")
    json.dump({"name": name.text(), "town": town.text(), "secret": secret.text(), "gift": gift.isChecked(), "courier": courier.isChecked(), "colour": colour.currentText()}, open(out, "w"))
def more():
    d = QMessageBox(QMessageBox.Icon.Question, "More", "More of it?", QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No, w)
    d.finished.connect(lambda r: said.setText("Answer %d" % r))
    d.open()
for label, act in (("More", more), ("Send", send)):
    b = QPushButton(label)
    b.clicked.connect(act)
    form.addRow(b)
form.addRow(said)
w.show()
app.exec()
