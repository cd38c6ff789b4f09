"""The order form in widgets of Qt 6. qt6.py LOG"""
import sys

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import (QApplication, QCheckBox, QComboBox, QFormLayout, QLabel, QLineEdit, QMainWindow,
                             QPushButton, QSpinBox, QWidget)

log = open(sys.argv[1], "a", buffering=1)
app = QApplication(sys.argv)
window = QMainWindow()
window.setWindowTitle("Order")
body = QWidget()
rows = QFormLayout(body)
window.setCentralWidget(body)
customer, gift, size, amount, done = QLineEdit(), QCheckBox("Gift wrap"), QComboBox(), QSpinBox(), QLabel("Not sent")
size.addItems(["Small", "Medium", "Large"])
amount.setRange(0, 100)
rows.addRow("Customer", customer)
rows.addRow(gift)
rows.addRow("Size", size)
rows.addRow("Amount", amount)


def send():
    log.write("sent %s|%s|%s|%d\n" % (customer.text(), gift.isChecked(), size.currentText(), amount.value()))
    done.setText("Thank you")


def button(name, does=None):
    made = QPushButton(name)
    made.clicked.connect(does or (lambda: log.write("clicked %s\n" % name)))
    rows.addRow(made)
    return made


button("Send", send)
button("Locked").setEnabled(False)
button("Twin")
button("Twin")
rows.addRow(done)
clear = QAction("Clear", window)
clear.triggered.connect(lambda: (customer.clear(), log.write("cleared\n")))
window.menuBar().addMenu("Edit").addAction(clear)
window.show()
log.write("shown\n")
app.exec()
