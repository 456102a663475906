# SPDX-License-Identifier: GPL-2.0-or-later
# The devices of the emulated machine: a board, and folders of the host.
CONFIG_Q35=y
CONFIG_PCI_EXPRESS=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_9P=y
