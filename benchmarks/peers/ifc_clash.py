"""IfcOpenShell's clash engine: bounding volume hierarchies of the triangles of an IFC file."""

from typing import NamedTuple

import ifcopenshell
import ifcopenshell.geom
import ifcopenshell.guid
import numpy as np

BACKEND = "opencascade.trianglebvh"  # the one that can tell clashes
PRODUCT = "IfcBuildingElementProxy"


class Model(NamedTuple):
    """A file, made beforehand."""

    file: ifcopenshell.file


def keep_objects(vertices: np.ndarray, faces: np.ndarray, owners: np.ndarray) -> Model:
    """Write a model in which each object is a product with a triangulated face set."""
    file = ifcopenshell.file(schema="IFC4")
    make = file.create_entity
    unit = make("IfcSIUnit", UnitType="LENGTHUNIT", Name="METRE")
    axes = make("IfcAxis2Placement3D", make("IfcCartesianPoint", (0.0, 0.0, 0.0)))
    space = make("IfcGeometricRepresentationContext", None, "Model", 3, 1e-9, axes)
    make(
        "IfcProject",
        GlobalId=ifcopenshell.guid.new(),
        RepresentationContexts=[space],
        UnitsInContext=make("IfcUnitAssignment", [unit]),
    )
    place = make("IfcLocalPlacement", RelativePlacement=axes)
    for number in range(int(owners.max()) + 1):
        used, corners = np.unique(faces[owners == number], return_inverse=True)
        points = make("IfcCartesianPointList3D", vertices[used].tolist())
        triangles = (corners.reshape(-1, 3) + 1).tolist()
        body = make("IfcTriangulatedFaceSet", Coordinates=points, CoordIndex=triangles)
        shape = make("IfcShapeRepresentation", space, "Body", "Tessellation", [body])
        make(
            PRODUCT,
            GlobalId=ifcopenshell.guid.new(),
            Name=str(number),
            ObjectPlacement=place,
            Representation=make("IfcProductDefinitionShape", Representations=[shape]),
        )
    return Model(file)


def objects_within(tree: Model, radii: np.ndarray) -> np.ndarray:
    """Read the shapes, sort them into a tree, and ask all against all."""
    shapes = ifcopenshell.geom.iterator(ifcopenshell.geom.settings(), tree.file, 1)
    index = ifcopenshell.geom.tree(backend=BACKEND)
    going = shapes.initialize()
    while going:
        index.add_element(shapes.get())
        going = shapes.next()
    items = tree.file.by_type(PRODUCT)
    if radii[0] > TOUCHING:
        found = index.clash_clearance_many(items, items, clearance=float(radii[0]))
    else:
        found = index.clash_collision_many(items, items, allow_touching=True)
    pairs = [[int(tree.file[each.id()].Name) for each in (clash.a, clash.b)] for clash in found]
    pairs = np.sort(np.array(pairs, np.intp).reshape(-1, 2), axis=1)
    return np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0).T


TOUCHING = 1e-4  # what is no farther apart is asked for as a collision
